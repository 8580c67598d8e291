// The results of an alignment by bands of diagonals: results of the sweeps, and the path.
#pragma once

#include "stages/wavefront/alignment/bit_plan.hpp"
#include "stages/wavefront/sweep_tally.hpp"

namespace terrace::stages {

class BitAlignmentTally : public SweepTally {
 public:
  /// @param plan outlives it
  explicit BitAlignmentTally(const BitAlignmentPlan& plan);

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  /// Number of bands, all of whose blocks are folded.
  std::int64_t swept() const { return swept_; }
  const TracedPath& path() const { return path_; }
  /// Once all phases are folded.
  Alignment alignment() const { return path_.alignment(plan_.problem()); }

 private:
  const BitAlignmentPlan& plan_;
  std::int64_t swept_ = 0;
  TracedPath path_;
};

}  // namespace terrace::stages
