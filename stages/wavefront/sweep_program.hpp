// A sweep over a wavefront table as a program of blocks: its score, its whole table, or some rows and columns of it.
#pragma once

#include "stages/wavefront/program.hpp"
#include "stages/wavefront/widening.hpp"

namespace terrace::stages {

/// A phase is a chain of blocks, row-major over a grid of blocks (layers of a row of blocks one after another, so
/// that its part of the grid is read once). Borders are carries: `row_border` has a tile for every layer and column
/// of blocks, generation i + 1 being the border below row i of blocks; `column_border` one for every row of blocks
/// and layer, generation j + 1 being the border right of column j of blocks (of the first phase; those of later ones
/// follow). There is one phase, or, where the schedule leaves work out and the problem has a bit-parallel form, one
/// for every band of diagonals until the score is proved.
///
/// Where rows and columns are kept, a block writes those that end in it.
class SweepProgram : public WavefrontProgram {
 public:
  /// @param least_margin the least that is worth it of a band of diagonals (Widening); nothing where the device
  /// computes what is outside, too
  SweepProgram(wavefront::SweepSpec spec, const wavefront::ProblemInfo& problem, const WavefrontInputs& inputs,
               std::optional<std::int64_t> least_margin);
  ~SweepProgram() override;

  std::optional<run::Phase> phase(std::int64_t number) override;
  bool needs_results(std::int64_t number) const override { return number > 0; }
  std::string part(const run::Phase& phase) const override;
  run::Block block(const run::Phase& phase, std::int64_t number, std::int64_t index) const override;
  void open(device::Context& context, int device) override;
  std::size_t descriptor_bytes() const override {
    return spec_.kept ? sizeof(wavefront::KeptTask) : sizeof(wavefront::BlockTask);
  }
  void describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, std::int64_t number, const device::Port& port, int attempt,
           device::Context& context, int device) override;
  void fold(const run::Phase& phase, std::int64_t number, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

 protected:
  using WavefrontProgram::part;
  /// Of the phase's band of diagonals, and of the last one whose blocks are all folded.
  std::int64_t margin_of(const run::Phase& phase) const;
  std::int64_t margin() const { return margin_; }
  wavefront::DiagonalBand band(std::int64_t margin) const { return widening_.band(margin); }
  /// Cells of a block in the band of that margin.
  double cells_in_band(std::int64_t margin, std::int64_t index) const;
  /// What the last band must prove: the distance that it found, or more.
  virtual std::int64_t to_prove() const { return distance(); }
  /// What the score means as a distance.
  std::int64_t distance() const;

 private:
  struct Opened;
  void make_sweep(Opened& opened, device::Context& context, std::int64_t margin) const;
  void add_kept();
  std::vector<run::Access> kept_parts(const Box& cells) const;

  Widening widening_;
  std::int64_t first_margin_ = Widening::whole;
  std::int64_t margin_ = Widening::whole;  // of the last phase whose blocks are all folded, or of the first
  std::vector<double> edges_;              // of the bins of a problem that counts
  int row_border_ = -1, column_border_ = -1, table_ = -1;
  int kept_rows_ = -1, kept_row_gaps_ = -1, kept_columns_ = -1, kept_column_gaps_ = -1;
  std::vector<std::unique_ptr<Opened>> opened_;  // one a device
};

}  // namespace terrace::stages
