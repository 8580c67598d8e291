// The results of a sweep over a wavefront table: its score, and the band of diagonals that it was found in.
#pragma once

#include "stages/wavefront/sweep_plan.hpp"
#include "stages/wavefront/tally.hpp"

namespace terrace::stages {

class SweepTally : public WavefrontTally {
 public:
  /// @param plan outlives it
  explicit SweepTally(const SweepPlan& plan) : WavefrontTally(plan), plan_(plan), margin_(plan.first_margin()) {}

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  /// The margin of the last phase whose blocks are all folded, or of the first.
  std::int64_t margin() const { return margin_; }

 private:
  const SweepPlan& plan_;
  std::int64_t margin_;
};

}  // namespace terrace::stages
