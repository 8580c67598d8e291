// The ranges of weights and distances that the blocks of a closure find.
#pragma once

#include <string>

#include "pipeline/run/tally.hpp"
#include "stages/recursive/closures/plan.hpp"
#include "stages/recursive/weights.hpp"

namespace terrace::stages {

/// Weights and distances in integers and in others each have their own range.
class ClosureTally : public run::Tally {
 public:
  explicit ClosureTally(const ClosurePlan& plan) : plan_(plan) {}

  /// @throws ComputeError on a negative cycle, and at the end if the type does not hold the distances
  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  /// True if an integer weight is negative.
  bool has_negative() const { return range_.any && range_.least < 0; }
  /// @throws ComputeError if distances of the weights found may leave their type
  void check_range() const;
  /// The largest finite distance so far, of floating-point types; 0 before any is known.
  double farthest() const { return farthest_real_; }

 private:
  void check_distances() const;

  const ClosurePlan& plan_;
  WeightRange range_;
  std::int64_t farthest_ = 0;
  double least_real_ = 0, most_real_ = 0, farthest_real_ = 0;
};

}  // namespace terrace::stages
