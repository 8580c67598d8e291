// The results of the sweeps over a wavefront table: the cell that they report.
#pragma once

#include "pipeline/run/tally.hpp"
#include "stages/wavefront/plan.hpp"

namespace terrace::stages {

/// The cell that a table reports.
using WavefrontScore = wavefront::BlockResult;

class WavefrontTally : public run::Tally {
 public:
  /// @param plan outlives it
  explicit WavefrontTally(const WavefrontPlan& plan);

  void failed(const run::Phase& phase, std::int64_t index, int attempt) override;
  /// Once the blocks of the sweep over the whole table are folded.
  const WavefrontScore& score() const { return score_; }

 protected:
  /// Adds the result of block `index` of the sweep.
  void fold_score(std::int64_t index, const void* result);

  WavefrontScore score_{};

 private:
  const WavefrontPlan& plan_;
};

}  // namespace terrace::stages
