// Clusters of launches that are cut into strips together. Algorithm 1 (application tiling) of Maghazeh et al.,
// "Cache-Aware Kernel Tiling".
#pragma once

#include <vector>

#include "kernels/graph/tiling/strips.hpp"

namespace terrace::graph {

/// The sub-kernels of a graph of launches, in an order in which all can be made.
struct TileSchedule {
  Tiling tiling;
  std::vector<std::vector<int>> clusters;  // in their order
  double untiled_seconds = 0;              // of the launches one after another
};

/// Merges the clusters at either end of an edge, from the edge on that saves the most if what it hands on is in the
/// cache, while no two clusters wait for each other and the time falls. Where the cache holds everything nothing is
/// cut.
TileSchedule tile_schedule(const TileGraph& graph, const TimeTable& times, i64 grain = 8);

}  // namespace terrace::graph
