// Several steps of an iteration as one cluster.
#pragma once

#include <optional>
#include <vector>

#include "kernels/graph/clusters/cluster.hpp"
#include "kernels/graph/iteration.hpp"

namespace terrace::graph {

/// The body of an iteration so many times, one after another: inputs are those of the body, and each state has a node
/// of its own after the last step.
struct UnrolledSteps {
  i64 steps = 1;
  Graph graph;
  std::vector<int> states;  // after the steps
  Cluster cluster;
};

/// nullopt if no kernel makes them together.
std::optional<UnrolledSteps> unrolled(const Iteration& iteration, i64 steps);

/// The launches that make all steps of an iteration in the least time: the first ones are as often made as possible,
/// and second ones, if there are some, make what is left. Empty if no kernel makes a step.
std::vector<UnrolledSteps> unrolled_in_least_time(const Iteration& iteration);

}  // namespace terrace::graph
