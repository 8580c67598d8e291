#include "stages/makespan/search.hpp"

namespace terrace::stages {

TargetSearch::TargetSearch(std::int64_t lower, std::int64_t upper, std::int64_t probes)
    : lower_(lower), upper_(upper), probes_(probes) {
  choose_targets();
}

void TargetSearch::choose_targets() {
  targets_.clear();
  if (done()) return;
  for (std::int64_t i = 1; i <= probes_; ++i) {
    const std::int64_t target = lower_ + i * (upper_ - lower_) / (probes_ + 1);
    if (targets_.empty() || targets_.back() != target) targets_.push_back(target);
  }
}

void TargetSearch::advance(std::int64_t first_feasible) {
  const auto count = static_cast<std::int64_t>(targets_.size());
  if (first_feasible > 0) lower_ = targets_[static_cast<std::size_t>(first_feasible - 1)] + 1;
  if (first_feasible < count) {
    upper_ = targets_[static_cast<std::size_t>(first_feasible)];
    best_ = {rounds_, first_feasible};
  }
  ++rounds_;
  choose_targets();
}

}  // namespace terrace::stages
