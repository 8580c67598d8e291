// The best alignment of a problem with a bit-parallel form as a program of blocks: sweeps of bands of diagonals that
// keep lines in differences, and the way back.
#pragma once

#include "kernels/wavefront/tracer.hpp"
#include "stages/wavefront/alignment/bit_plan.hpp"
#include "stages/wavefront/alignment/traced_path.hpp"
#include "stages/wavefront/sweep_program.hpp"

namespace terrace::stages {

/// The sweep over the table: `spec` in the blocks of the plan.
wavefront::SweepSpec bit_sweep(wavefront::SweepSpec spec, const BitAlignmentPlan& plan);
/// Bytes that walks allocate, in the memory of the device.
std::size_t bit_walk_bytes(const wavefront::SweepSpec& spec, const BitAlignmentPlan& plan, bool cuda);

/// The first phases are those of SweepProgram, until the score proves that all best alignments lie in the band of
/// diagonals (bit_lines.hpp), or the whole table is swept. Each block in the band keeps its lines; those of a band
/// take the place of those of the one before. Then follow phases of one block, from the end of the path: each walks
/// through the block of the table that the path is in, until it leaves that (on CUDA a cell of it) or a result is
/// full.
class BitAlignmentProgram : public SweepProgram {
 public:
  /// @param spec as bit_sweep gives it @param least_margin as of SweepProgram
  BitAlignmentProgram(wavefront::SweepSpec spec, const wavefront::ProblemInfo& problem, const WavefrontInputs& inputs,
                      std::optional<std::int64_t> least_margin);
  ~BitAlignmentProgram() override;

  std::optional<run::Phase> phase(std::int64_t number) override;
  std::string part(const run::Phase& phase) const override;
  run::Block block(const run::Phase& phase, std::int64_t number, std::int64_t index) const override;
  void open(device::Context& context, int device) override;
  std::size_t descriptor_bytes() const override;
  std::size_t result_bytes() const override { return sizeof(wavefront::TraceResult); }
  void describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, std::int64_t number, const device::Port& port, int attempt,
           device::Context& context, int device) override;
  void fold(const run::Phase& phase, std::int64_t number, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  /// Once all phases are folded.
  Alignment alignment() const { return path_.alignment(spec_); }

 protected:
  /// All alignments of that distance are to lie in the band, not one alone.
  std::int64_t to_prove() const override { return distance() + 1; }

 private:
  using SweepProgram::part;

  /// A walk: where it begins, in which block, and which sweep's lines it reads.
  struct Walk {
    wavefront::PathPlace place;
    std::int64_t margin, generation;
    std::int64_t index;
  };

  struct Walker;

  TracedTable table() const { return {spec_, problem_, score_}; }
  bool has_lines(std::int64_t margin, std::int64_t index) const;
  std::optional<Walk> walk_of(const run::Phase& phase) const;
  run::Access lines(int array, std::int64_t generation, std::int64_t index, std::int64_t first, run::Mode mode) const;
  run::Block walk_block(const Walk& walk) const;
  void describe_walk(const Walk& walk, const run::BlockView& view, void* descriptor) const;

  int row_lines_ = -1, column_lines_ = -1;
  std::int64_t swept_ = 0;  // bands, all of whose blocks are folded
  TracedPath path_;
  std::vector<std::unique_ptr<Walker>> walkers_;  // one a device
};

}  // namespace terrace::stages
