#include "kernels/graph/slabs.hpp"

#include <algorithm>

#include "kernels/graph/operators.hpp"

namespace terrace::graph {
namespace {

/// The rows of a kept node of `rows` above row `at` of the tallest one.
i64 rows_above(i64 at, i64 rows, i64 tallest) { return std::min(at, tallest) * rows / tallest; }

}  // namespace

i64 most_kept_rows(const Graph& graph) {
  i64 most = 0;
  for (std::size_t n = 0; n < graph.targets(); ++n) most = std::max(most, graph.shape(graph.target(n)).rows);
  return most;
}

i64 slabs_of(const GraphSpec& spec) { return (most_kept_rows(*spec.graph) + spec.slab_rows - 1) / spec.slab_rows; }

Range rows_of_slab(const GraphSpec& spec, i64 slab, std::size_t target) {
  const i64 rows = spec.graph->shape(spec.graph->target(target)).rows, tallest = most_kept_rows(*spec.graph);
  return {rows_above(slab * spec.slab_rows, rows, tallest), rows_above((slab + 1) * spec.slab_rows, rows, tallest)};
}

i64 most_rows_of_slab(const GraphSpec& spec, std::size_t target) {
  const i64 rows = spec.graph->shape(spec.graph->target(target)).rows, tallest = most_kept_rows(*spec.graph);
  return (std::min(spec.slab_rows, tallest) * rows + tallest - 1) / tallest;
}

std::vector<Rows> rows_needed(const GraphSpec& spec, i64 slab) {
  const Graph& graph = *spec.graph;
  std::vector<Rows> needed(static_cast<std::size_t>(graph.values()));
  for (std::size_t n = 0; n < graph.targets(); ++n) {
    needed[static_cast<std::size_t>(graph.target(n))].add(rows_of_slab(spec, slab, n));
  }
  for (int value = graph.values() - 1; graph.is_node(value); --value) {
    const Node& node = graph.node(value);
    for (const Range& rows : needed[static_cast<std::size_t>(value)].ranges()) {
      for (std::size_t operand = 0; operand < node.operands.size(); ++operand) {
        const Area area = reach_of(graph, node, static_cast<int>(operand), {rows, {0, node.shape.columns}});
        needed[static_cast<std::size_t>(node.operands[operand])].add_inside(
            area.rows, graph.shape(node.operands[operand]).rows, node.settings.boundary);
      }
    }
    if (value == 0) break;
  }
  return needed;
}

std::vector<int> last_readers(const Graph& graph) {
  std::vector<int> last(static_cast<std::size_t>(graph.values()));
  for (int value = 0; value < graph.values(); ++value) {
    last[static_cast<std::size_t>(value)] = value;
    if (!graph.is_node(value)) continue;
    for (const int operand : graph.node(value).operands) last[static_cast<std::size_t>(operand)] = value;
  }
  return last;
}

i64 bytes_needed(const Graph& graph, const std::vector<Rows>& needed) {
  const std::vector<int> last = last_readers(graph);
  const auto bytes = [&](int value) {
    return needed[static_cast<std::size_t>(value)].size() * graph.shape(value).columns *
           static_cast<i64>(size_of(graph.type));
  };
  i64 now = 0, most = 0;
  for (int value = 0; value < graph.values(); ++value) {
    now += bytes(value);
    most = std::max(most, now);
    if (!graph.is_node(value)) continue;
    for (int read = 0; read <= value; ++read) {
      if (last[static_cast<std::size_t>(read)] == value) now -= bytes(read);
    }
  }
  return most;
}

i64 most_bytes_needed(const GraphSpec& spec) {
  const i64 last = slabs_of(spec) - 1;
  i64 most = 0;
  for (const i64 slab : {i64{0}, std::min<i64>(1, last), last / 2, std::max<i64>(last - 1, 0), last}) {
    most = std::max(most, bytes_needed(*spec.graph, rows_needed(spec, slab)));
  }
  return most;
}

}  // namespace terrace::graph
