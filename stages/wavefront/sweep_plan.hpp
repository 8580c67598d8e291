// A sweep over a wavefront table as a plan of blocks: its score, its whole table, or some rows and columns of it.
#pragma once

#include <mutex>

#include "kernels/wavefront/seed_limits.hpp"
#include "stages/wavefront/plan.hpp"
#include "stages/wavefront/widening.hpp"

namespace terrace::stages {

class SweepTally;

/// The value of a phase: its band of diagonals.
struct SweepPhase {
  std::int64_t margin;
};

/// A phase is a chain of blocks, row-major over a grid of blocks (layers of a row of blocks one after another, so
/// that its part of the grid is read once), or strip by strip, where strips are dealt to several devices: a device is
/// then a few blocks behind the one that computes the strip before. Borders are carries: `row_border` has a tile for
/// every layer and column of blocks, generation i + 1 being the border below row i of blocks; `column_border` one for
/// every row of blocks and layer, generation j + 1 being the border right of column j of blocks (of the first phase;
/// later phases continue the numbers). There is one phase, or, if the schedule leaves work out and the problem has a
/// bit-parallel form, one for every band of diagonals until the score is proved. Where the matches of seeds show that
/// alignments as good as the one found keep to a small part of the band that would prove it, that part is the last
/// band.
///
/// If rows and columns are kept, a block writes those that end in it.
class SweepPlan : public WavefrontPlan {
 public:
  /// @param least_margin the least that is worth it of a band of diagonals (Widening); nothing where the device
  /// computes what is outside, too
  SweepPlan(wavefront::SweepSpec spec, const WavefrontInputs& inputs, std::optional<std::int64_t> least_margin);

  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  std::size_t descriptor_bytes() const override { return task_bytes(); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The margin of the phase's band of diagonals.
  virtual std::int64_t margin_of(const run::Phase& phase) const { return phase.value.as<SweepPhase>().margin; }
  std::int64_t first_margin() const { return first_margin_; }
  wavefront::DiagonalBand band(std::int64_t margin) const { return widening_.band(margin); }
  /// The limits that a margin means (Widening::limited_by); null for other margins.
  std::shared_ptr<const wavefront::BandLimits> limits(std::int64_t margin) const;
  /// The descriptor of block `index`, without the pointers of its accesses.
  wavefront::KeptTask task_of(std::int64_t index) const;
  /// Bytes of that descriptor that the kernel reads: all, or KeptTask::block.
  std::size_t task_bytes() const {
    return spec_.kept || spec_.bit_lines ? sizeof(wavefront::KeptTask) : sizeof(wavefront::BlockTask);
  }

 protected:
  /// The margin of phase `number`; nullopt when the score is proved. @param tally is read if number > 0
  std::optional<std::int64_t> next_margin(std::int64_t number, const SweepTally& tally) const;
  /// Cells of a block in the band of that margin.
  double cells_in_band(std::int64_t margin, std::int64_t index) const;
  /// The distance that the last band must prove, or more, if it found `distance`.
  virtual std::int64_t to_prove(std::int64_t distance) const { return distance; }

 private:
  void add_kept();
  void add_kept_parts(const Box& cells, std::vector<run::Access>& accesses) const;
  /// The distance that a score means.
  std::int64_t distance_of(const wavefront::BlockResult& score) const;
  /// True if limits for alignments of that distance leave less to compute than the band of margin `next`.
  bool worth_limits(std::int64_t distance, std::int64_t next) const;

  Widening widening_;
  std::int64_t first_margin_ = Widening::whole;
  mutable std::mutex limits_mutex_;
  mutable std::int64_t limits_margin_ = Widening::whole;  // of limits_
  mutable std::shared_ptr<const wavefront::BandLimits> limits_;
  std::vector<double> edges_;  // of the bins of a problem that counts
  int row_border_ = -1, column_border_ = -1, table_ = -1;
  int kept_rows_ = -1, kept_row_gaps_ = -1, kept_columns_ = -1, kept_column_gaps_ = -1;
};

}  // namespace terrace::stages
