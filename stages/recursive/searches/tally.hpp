// The largest distance that searches find, by which their type is proved, and what their histogram counts.
#pragma once

#include <string>

#include "pipeline/run/tally.hpp"
#include "stages/recursive/histogram.hpp"
#include "stages/recursive/searches/plan.hpp"

namespace terrace::stages {

class SearchTally : public run::Tally {
 public:
  explicit SearchTally(const SearchPlan& plan) : plan_(plan), found_(plan.cut().weights) {}

  /// @throws ComputeError on a negative cycle, and at the end if the type does not hold the distances
  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  /// The largest finite distance so far, of floating-point types; 0 before any is known.
  double farthest() const { return found_.farthest_real; }
  /// The pairs that the histogram of the whole stage does not count.
  Uncounted uncounted() const;

 private:
  const SearchPlan& plan_;
  FoundDistances found_;
  std::int64_t counted_ = 0, outside_ = 0;  // of the histogram
};

}  // namespace terrace::stages
