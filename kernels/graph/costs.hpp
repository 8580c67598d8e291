// Bytes, instructions and seconds of launches of graphs on CUDA: one model for all schedules.
#pragma once

#include "kernels/graph/clusters/cluster.hpp"
#include "kernels/graph/iteration.hpp"

namespace terrace::graph {

struct Load {
  double bytes = 0;      // that launches move from and to memory
  double computing = 0;  // seconds that they execute instructions in addition to the time of these bytes
  double launches = 0;

  Load& operator+=(const Load& other);
};
Load operator*(double times, const Load& load);

/// @param slabs by which the launches are made
double seconds_of(const Load& load, i64 slabs = 1);

/// Bytes of all values of an array.
double bytes_of(Shape shape, ElementType type);

/// A node, all of whose rows a launch makes.
Load load_alone(const Graph& graph, int value);
Load load_of(const Graph& graph, const Cluster& cluster);
/// A step of an iteration: a launch if it is one formula, else a launch for each node of its body.
Load load_of_step(const Iteration& iteration);

}  // namespace terrace::graph
