#include "kernels/graph/costs.hpp"

#include <algorithm>

#include "kernels/graph/clusters/sizes.hpp"
#include "kernels/graph/measured.hpp"

namespace terrace::graph {
namespace {

/// The part of the rows of a cluster's strips that is made for these rows alone; others are made again in the next
/// strip.
double own_part(const Graph& graph, const Cluster& cluster) {
  const Shape shape = graph.shape(cluster.made.front());
  const i64 width = 32 * cluster.columns - 2 * cluster.beside;
  const i64 across = (shape.columns + width - 1) / width;
  const i64 strips = std::clamp<i64>(i64{measured::cuda_processors} * cluster.blocks * stream_warps / across, 1,
                                     std::max<i64>(1, shape.rows / least_strip_rows));
  const double height = static_cast<double>(shape.rows) / static_cast<double>(strips);
  return height / (height + cluster.last - cluster.first);
}

}  // namespace

Load& Load::operator+=(const Load& other) {
  bytes += other.bytes, computing += other.computing, launches += other.launches;
  return *this;
}

Load operator*(double times, const Load& load) {
  return {times * load.bytes, times * load.computing, times * load.launches};
}

double seconds_of(const Load& load, i64 slabs) {
  return load.bytes / (measured::cuda_bytes_per_second * measured::cuda_efficiency) + load.computing +
         load.launches * static_cast<double>(slabs) * measured::cuda_launch_seconds;
}

double bytes_of(Shape shape, ElementType type) {
  return static_cast<double>(shape.rows) * static_cast<double>(shape.columns) * static_cast<double>(size_of(type));
}

Load load_alone(const Graph& graph, int value) {
  const Node& node = graph.node(value);
  Load load{bytes_of(node.shape, graph.type), 0, 1};
  for (auto operand = node.operands.begin(); operand != node.operands.end(); ++operand) {
    const bool is_first = std::find(node.operands.begin(), operand, *operand) == operand;
    if (is_first) load.bytes += bytes_of(graph.shape(*operand), graph.type);
  }
  return load;
}

/// A cluster takes the time of its instructions if that is more than the time of its bytes.
Load load_of(const Graph& graph, const Cluster& cluster) {
  Load load{bytes_of(graph, cluster), 0, 2};
  const Shape shape = graph.shape(cluster.made.front());
  const double cells = static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  const double computing = cells * cluster.operations / measured::cuda_cluster_operations_per_second;
  load.computing = std::max(0.0, computing / own_part(graph, cluster) - seconds_of({load.bytes, 0, 0}));
  return load;
}

Load load_of_step(const Iteration& iteration) {
  if (iteration.joined) {
    const auto arrays = static_cast<double>(iteration.joined->sources.size() + iteration.states());
    return {arrays * bytes_of(iteration.shape(), iteration.body.type), 0, 1};
  }
  Load load;
  for (int value = 0; value < iteration.body.values(); ++value) {
    if (iteration.body.is_node(value)) load += load_alone(iteration.body, value);
  }
  return load;
}

}  // namespace terrace::graph
