// The best alignment of a problem with a bit-parallel form as a plan of blocks: sweeps of bands of diagonals that
// keep lines in differences, and the way back.
#pragma once

#include "kernels/wavefront/tracer.hpp"
#include "stages/wavefront/alignment/bit_cut.hpp"
#include "stages/wavefront/alignment/traced_path.hpp"
#include "stages/wavefront/sweep_plan.hpp"

namespace terrace::stages {

/// The sweep over the table: `spec` in the blocks of the cut.
wavefront::SweepSpec bit_sweep(wavefront::SweepSpec spec, const BitAlignmentCut& cut);

/// The value of a phase: the band of diagonals that it sweeps, or that was swept if it walks.
struct BitAlignmentPhase {
  std::int64_t margin;
  std::int64_t walks;       // 1: it walks
  std::int64_t generation;  // of the lines that a walk reads
  PlaceValue place;         // begin of a walk
};

/// The first phases are the phases of SweepPlan, until the score proves that all best alignments lie in the band
/// of diagonals (bit_lines.hpp), or the whole table is swept. Each block in the band keeps its lines, which
/// replace the lines of the band before. Then follow phases of one block, from the end of the path: each walks
/// through the block of the table that the path is in, until it leaves that block (on CUDA a cell of it) or a
/// result is full.
class BitAlignmentPlan : public SweepPlan {
 public:
  /// @param spec as bit_sweep gives it @param least_margin as of SweepPlan
  BitAlignmentPlan(wavefront::SweepSpec spec, const WavefrontInputs& inputs,
                   std::optional<std::int64_t> least_margin);

  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  std::size_t descriptor_bytes() const override;
  std::size_t result_bytes() const override { return sizeof(wavefront::TraceResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  std::int64_t margin_of(const run::Phase& phase) const override {
    return phase.value.as<BitAlignmentPhase>().margin;
  }
  /// The descriptor of a walk, without the pointers of its accesses.
  wavefront::BitTraceTask walk_task(const BitAlignmentPhase& walk) const;

 protected:
  /// All alignments of that distance must lie in the band, not just one.
  std::int64_t to_prove(std::int64_t distance) const override { return distance + 1; }

 private:
  bool has_lines(std::int64_t margin, std::int64_t index) const;
  std::int64_t block_of(const PlaceValue& place) const;
  /// Lines of a block from `first` on, in an access to `array`.
  run::Access lines(WavefrontSlot slot, int array, std::int64_t generation, std::int64_t index, std::int64_t first,
                    run::Mode mode) const;
  run::Block walk_block(const BitAlignmentPhase& walk) const;

  int row_lines_ = -1, column_lines_ = -1;
};

}  // namespace terrace::stages
