// The findings of an exact search.
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/run/tally.hpp"
#include "stages/makespan/exact/plan.hpp"

namespace terrace::stages {

struct ExactFindings {
  std::int64_t lower = 0, upper = 0;  // no schedule has a smaller makespan; that of the best schedule
  std::int64_t rounds = 0;
  std::int64_t nanoseconds = 0;  // of all rounds
  makespan::Machines machines;   // as reported
};

class ExactTally : public run::Tally {
 public:
  /// @param plan outlives it
  explicit ExactTally(const ExactPlan& plan);

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  const ExactFindings& findings() const { return findings_; }

 private:
  const ExactPlan& plan_;
  ExactFindings findings_;
};

}  // namespace terrace::stages
