// The folded results of a graph's blocks: the numbers that its reductions make, and the first input element that is
// NaN.
#pragma once

#include <string>
#include <vector>

#include "pipeline/run/tally.hpp"
#include "stages/kernel_graph/plan.hpp"

namespace terrace::stages {

class GraphTally : public run::Tally {
 public:
  explicit GraphTally(const GraphPlan& plan) : plan_(plan), numbers_(plan.definition().graph->reductions.size()) {}

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;
  std::string fault() const override { return fault_; }

  /// The result so far of a reduction of the whole graph.
  double number(int reduction) const { return numbers_[static_cast<std::size_t>(reduction)]; }

 private:
  /// The reason why a list of positions cannot be a result; empty: it can, or it is none.
  std::string fault_of_list(int reduction) const;

  const GraphPlan& plan_;
  std::string fault_;
  std::vector<double> numbers_;  // of the whole graph's reductions
};

}  // namespace terrace::stages
