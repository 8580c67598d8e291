#include "kernels/graph/slabs.hpp"

#include <algorithm>

#include "kernels/graph/carry.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/operators.hpp"

namespace terrace::graph {
namespace {

/// The rows of a kept node of `rows` above row `at` of the tallest one.
i64 rows_above(i64 at, i64 rows, i64 tallest) { return std::min(at, tallest) * rows / tallest; }

/// Gives all states of an iteration the same rows. @param value its last node, or any other value
void join_states(const Graph& graph, int value, std::vector<Rows>& needed) {
  const Node& node = graph.node(value);
  if (!node.settings.iteration || nodes_of_iteration(graph, value) != 1) return;
  Rows all;
  const int first = first_of_iteration(graph, value);
  for (int state = first; state <= value; ++state) all.add(needed[static_cast<std::size_t>(state)]);
  for (int state = first; state <= value; ++state) needed[static_cast<std::size_t>(state)] = all;
}

/// Adds the rows of all values that the needed rows of nodes are made from.
/// @param known, pass_steps of a GraphSpec @param carriers as carriers_of()
void add_reached(const Graph& graph, std::span<const double> known, i64 pass_steps, const std::vector<int>& carriers,
                 std::vector<Rows>& needed) {
  for (int value = graph.values() - 1; value >= 0 && graph.is_node(value); --value) {
    join_states(graph, value, needed);
    const Node& node = graph.node(value);
    const bool carries = carrier_of(graph, carriers, value).has_value();
    for (const Range& rows : needed[static_cast<std::size_t>(value)].ranges()) {
      for (std::size_t operand = 0; operand < node.operands.size(); ++operand) {
        const Area area = reach_of(graph, node, static_cast<int>(operand), {rows, {0, node.shape.columns}}, known);
        const Range read = carries ? rows_reached_by_carrier(*node.settings.iteration, pass_steps, rows) : area.rows;
        needed[static_cast<std::size_t>(node.operands[operand])].add_inside(
            read, graph.shape(node.operands[operand]).rows, node.settings.boundary);
      }
    }
  }
}

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
  add_reached(graph, spec.known, spec.pass_steps, carriers_of(spec), needed);
  return needed;
}

void add_reached(const Graph& graph, std::vector<Rows>& needed) { add_reached(graph, {}, 0, {}, needed); }

std::vector<int> last_readers(const Graph& graph) {
  std::vector<int> last(static_cast<std::size_t>(graph.values()));
  for (int value = 0; value < graph.values(); ++value) {
    last[static_cast<std::size_t>(value)] = value;
    if (!graph.is_node(value)) continue;
    for (const int operand : graph.node(value).operands) last[static_cast<std::size_t>(operand)] = value;
  }
  return last;
}

double work_needed(const GraphSpec& spec, const std::vector<Rows>& needed) {
  const Graph& graph = *spec.graph;
  const std::vector<int> carriers = carriers_of(spec);
  double cells = 0;
  for (int value = 0; value < graph.values(); ++value) {
    const Rows& rows = needed[static_cast<std::size_t>(value)];
    const Iteration* iteration = graph.is_node(value) ? graph.node(value).settings.iteration.get() : nullptr;
    const bool carries = carrier_of(graph, carriers, value).has_value();
    const double made = carries                ? rows_made(*iteration, PassRows(*iteration, spec.pass_steps, rows))
                        : iteration != nullptr ? rows_made(*iteration, rows)
                                               : static_cast<double>(rows.size());
    cells += made * static_cast<double>(graph.shape(value).columns);
  }
  return cells;
}

double work_of(const GraphSpec& spec) {
  const i64 slabs = slabs_of(spec), looked_at = 16, step = std::max<i64>(1, (slabs - 2) / looked_at);
  const auto work = [&](i64 slab) { return work_needed(spec, rows_needed(spec, slab)); };
  double inner = 0;
  i64 count = 0;
  for (i64 slab = 1; slab + 1 < slabs; slab += step, ++count) inner += work(slab);
  if (count > 0) inner *= static_cast<double>(slabs - 2) / static_cast<double>(count);
  return work(0) + inner + (slabs > 1 ? work(slabs - 1) : 0);
}

i64 bytes_needed(const GraphSpec& spec, const std::vector<Rows>& needed) {
  const Graph& graph = *spec.graph;
  const std::vector<int> carriers = carriers_of(spec);
  const std::vector<int> last = last_readers(graph);
  const auto bytes = [&](int value) {
    return needed[static_cast<std::size_t>(value)].size() * graph.shape(value).columns *
           static_cast<i64>(size_of(graph.type));
  };
  // The states of an iteration are made together, at the first of its nodes.
  const auto bytes_beside = [&](int value) {
    const int states = nodes_of_iteration(graph, value);
    if (states == 0) return i64{0};
    const Rows& rows = needed[static_cast<std::size_t>(value)];
    const Iteration& iteration = *graph.node(value).settings.iteration;
    const bool carries = carrier_of(graph, carriers, value).has_value();
    const i64 values = carries ? values_beside(iteration, PassRows(iteration, spec.pass_steps, rows))
                               : values_beside(iteration, rows);
    i64 all = values * static_cast<i64>(size_of(graph.type));
    for (int state = 1; state < states; ++state) all += bytes(value + state);
    return all;
  };
  i64 now = 0, most = 0;
  for (int value = 0; value < graph.values(); ++value) {
    now += bytes(value);
    most = std::max(most, now + bytes_beside(value));
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
    most = std::max(most, bytes_needed(spec, rows_needed(spec, slab)));
  }
  return most;
}

}  // namespace terrace::graph
