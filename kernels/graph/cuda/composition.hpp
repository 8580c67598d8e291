// Compositions: the nodes of a graph that one kernel each makes on CUDA, and the ways in which iterations make steps.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "kernels/graph/clusters/unrolled.hpp"
#include "kernels/graph/costs.hpp"
#include "kernels/graph/cuda/rooms.hpp"
#include "kernels/graph/cuda/streamed/plan.hpp"

namespace terrace::graph {

/// The parts that a composition may have.
enum class Schedule {
  plain,     // node after node
  streamed,  // clusters, and iterations whose rows stream
  fused,     // clusters, and iterations of which a cluster makes several steps
  ktiler,    // node after node, but for strips
  cheapest   // clusters, and of each iteration the cheapest way; strips if what launches take was measured
};

/// The way in which an iteration makes its steps.
enum class StepsBy { launches, streaming, clusters, strips };

struct IterationChoice {
  StepsBy by = StepsBy::launches;
  StreamedPlan streamed = {};                // of StepsBy::streaming
  std::vector<UnrolledSteps> unrolled = {};  // of StepsBy::clusters, as unrolled_in_least_time() has them
  Load load = {};                            // of all steps

  /// The steps of a pass.
  i64 steps_at_once() const;
};

struct Composition {
  std::shared_ptr<const Graph> graph;         // whose nodes of a cluster follow one another
  std::vector<Cluster> clusters;              // ascending
  std::map<int, IterationChoice> iterations;  // by the value of their first node
};

/// Made once for a graph, and remembered while others ask. @throws DeviceError if the spec's groups are no clusters
std::shared_ptr<const Composition> composition_of(const GraphSpec& spec, Schedule schedule,
                                                  const device::Limits& limits);

/// All launches for all rows.
Load load_of(const Composition& all);

/// The number of the cluster of each value; -1: it is no member of one.
std::vector<int> cluster_of_values(const Composition& all);

/// True of inputs that clusters alone read, as they are stored.
std::vector<bool> read_by_clusters(const Composition& all);

/// Values live until the last cluster that reads them is made; those within a cluster are never in memory.
Lifetimes lifetimes_of(const Composition& all);

}  // namespace terrace::graph
