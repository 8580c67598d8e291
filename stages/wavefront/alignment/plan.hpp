// The best alignment as a plan of blocks: a sweep that keeps borders, and the way back.
#pragma once

#include "kernels/wavefront/tracer.hpp"
#include "stages/wavefront/alignment/kept_borders.hpp"
#include "stages/wavefront/alignment/traced_path.hpp"

namespace terrace::stages {

class AlignmentTally;

/// The sweep over the table: `spec` in the blocks of the first level.
wavefront::SweepSpec table_sweep(wavefront::SweepSpec spec, const AlignmentLevels& levels);

/// The value of a phase, which sweeps a box of a level or walks through one of the last level.
struct AlignmentPhase {
  std::int64_t walks;  // 1: it walks
  std::int64_t level;
  std::int64_t row_begin, row_end, column_begin, column_end;  // the box
  std::int64_t row_generation, column_generation;             // of the borders kept inside it
  std::int64_t above_generation, before_generation;           // of borders kept around it, that it begins with
  PlaceValue place;                                           // begin of a walk

  KeptBox box() const {
    return {{{row_begin, column_begin}, {row_end, column_end}}, row_generation, column_generation};
  }
  std::size_t box_level() const { return static_cast<std::size_t>(level); }
};

/// Phase 0 sweeps the table and keeps the borders of the first level's cells. Then, from the end of the path: a phase
/// that sweeps the box of the next level that the path is in, from borders kept above it and before it up to where
/// the path leaves it, and keeps the borders of its cells; at the last level a phase of one block that walks through
/// the box. On the CPU the sweep of a box is one block. Each phase follows from the path's place once the
/// earlier ones are folded. Phase 0 may be dealt to several devices, strip by strip (dealing.hpp).
class AlignmentPlan : public WavefrontPlan {
 public:
  /// @param spec as table_sweep gives it
  AlignmentPlan(wavefront::SweepSpec spec, const WavefrontInputs& inputs, AlignmentLevels levels);

  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::size_t descriptor_bytes() const override;
  std::size_t result_bytes() const override { return sizeof(wavefront::TraceResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  const AlignmentLevels& levels() const { return levels_; }
  /// True if a block of the phase is a whole box with the borders inside.
  bool takes_box(const AlignmentPhase& phase) const {
    return phase.walks != 0 || (phase.level > 0 && levels_[phase.box_level()].whole_box());
  }
  /// The descriptor of a block, without the pointers of its accesses: of a phase that does not take a box, and of a
  /// phase that does.
  wavefront::KeptTask sweep_task(const AlignmentPhase& phase, std::int64_t index) const;
  wavefront::TraceTask box_task(const AlignmentPhase& phase) const;

 private:
  /// Blocks of the sweep over a box, numbered row-major.
  struct BoxGrid {
    Box box;
    std::int64_t block_rows, block_columns;
    std::int64_t across() const;
    std::int64_t count() const;
    Box block(std::int64_t index) const;
  };

  BoxGrid grid_of(const AlignmentPhase& phase) const;
  /// The cells of a block of a phase that does not take a box.
  Box swept(const AlignmentPhase& phase, std::int64_t index) const;
  AlignmentPhase next(const AlignmentTally& tally) const;
  AlignmentPhase phase_of(std::size_t level, const KeptBox& box, bool walks, const AlignmentTally& tally) const;
  std::optional<run::Access> top_of(const AlignmentPhase& phase, const Box& cells) const;
  std::optional<run::Access> left_of(const AlignmentPhase& phase, const Box& cells) const;

  AlignmentLevels levels_;
  KeptBorders borders_;
};

}  // namespace terrace::stages
