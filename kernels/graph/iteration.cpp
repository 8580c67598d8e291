#include "kernels/graph/iteration.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/graph/operators.hpp"
#include "kernels/graph/slabs.hpp"

namespace terrace::graph {
namespace {

Range joined(const Range& a, const Range& b) { return {std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

/// A range around 0 that has this one and its mirror image: at an end rows beyond it lie on the other side, from
/// where nodes read on.
Range mirrored(Range range) {
  const i64 radius = std::max(-range.begin, range.end - 1);
  return {-radius, radius + 1};
}

/// All that a cell in row 0 and column 0 of the next states may read of each value of the body.
std::vector<std::optional<Area>> reached(const Iteration& iteration) {
  const Graph& body = iteration.body;
  std::vector<std::optional<Area>> areas(static_cast<std::size_t>(body.values()));
  const auto add = [&](int value, const Area& area) {
    std::optional<Area>& own = areas[static_cast<std::size_t>(value)];
    own = own ? Area{joined(own->rows, area.rows), joined(own->columns, area.columns)} : area;
  };
  for (const int value : iteration.next) add(value, {{0, 1}, {0, 1}});
  for (int value = body.values() - 1; value >= 0 && body.is_node(value); --value) {
    const Node& node = body.node(value);
    const std::optional<Area>& area = areas[static_cast<std::size_t>(value)];
    for (std::size_t operand = 0; area && operand < node.operands.size(); ++operand) {
      const Area read = reach_of(body, node, static_cast<int>(operand), *area);
      add(node.operands[operand], {mirrored(read.rows), mirrored(read.columns)});
    }
  }
  return areas;
}

bool wraps_rows(const Graph& body) {
  return std::ranges::any_of(body.nodes, [](const Node& node) {
    return node.settings.boundary == Boundary::periodic && node.settings.row_radius > 0;
  });
}

}  // namespace

void complete(Iteration& iteration) {
  iteration.joined = joined_formula(iteration);
  const auto areas = reached(iteration);
  for (std::size_t input = 0; input < iteration.body.inputs.size(); ++input) {
    if (!areas[input]) continue;
    iteration.row_radius = std::max(iteration.row_radius, areas[input]->rows.end - 1);
    iteration.column_radius = std::max(iteration.column_radius, areas[input]->columns.end - 1);
  }
  iteration.wraps = wraps_rows(iteration.body);
}

NodeSettings settings_of(std::shared_ptr<const Iteration> iteration, int state) {
  NodeSettings made;
  made.boundary = iteration->wraps ? Boundary::periodic : Boundary::edge;
  made.iteration = std::move(iteration);
  made.state = state;
  return made;
}

int nodes_of_iteration(const Graph& graph, int value) {
  if (!graph.is_node(value) || !graph.node(value).settings.iteration) return 0;
  const Node& first = graph.node(value);
  int count = 1;
  while (value + count < graph.values()) {
    const Node& node = graph.node(value + count);
    if (node.settings.iteration != first.settings.iteration || node.operands != first.operands) break;
    ++count;
  }
  return count;
}

std::vector<int> iterations_of(const Graph& graph) {
  std::vector<int> found;
  for (int value = 0; value < graph.values(); ++value) {
    const int nodes = nodes_of_iteration(graph, value);
    if (nodes == 0) continue;
    found.push_back(value);
    value += nodes - 1;
  }
  return found;
}

int first_of_iteration(const Graph& graph, int value) {
  if (nodes_of_iteration(graph, value) == 0) return value;
  int first = value;
  while (first > 0 && nodes_of_iteration(graph, first - 1) > nodes_of_iteration(graph, first)) --first;
  return first;
}

Rows rows_after(const Iteration& iteration, i64 step, const Rows& wanted) {
  const i64 extent = iteration.shape().rows;
  const i64 radius = std::min(extent, std::min(iteration.times - step, extent) * iteration.row_radius);
  Rows made;
  for (const Range& range : wanted.ranges()) {
    made.add_inside(widened(range, radius), extent, iteration.wraps ? Boundary::periodic : Boundary::value);
  }
  return made;
}

std::vector<Rows> rows_of_body(const Iteration& iteration, const Rows& next) {
  std::vector<Rows> needed(static_cast<std::size_t>(iteration.body.values()));
  for (const int value : iteration.next) needed[static_cast<std::size_t>(value)].add(next);
  add_reached(iteration.body, needed);
  return needed;
}

std::vector<Rows> rows_of_step(const Iteration& iteration, i64 step, const Rows& wanted) {
  return rows_of_body(iteration, rows_after(iteration, step, wanted));
}

bool is_beside(const Iteration& iteration, int value) {
  if (!iteration.body.is_node(value) || iteration.joined) return false;
  const auto reads = [&](const Node& node) { return std::ranges::count(node.operands, value) > 0; };
  return std::ranges::count(iteration.next, value) == 0 || std::ranges::any_of(iteration.body.nodes, reads);
}

i64 values_beside(const Iteration& iteration, const Rows& wanted) {
  if (iteration.times == 0) return 0;
  const std::vector<Rows> first = rows_of_step(iteration, 1, wanted);
  i64 rows = 2 * static_cast<i64>(iteration.states()) * rows_after(iteration, 1, wanted).size();
  for (int value = 0; value < iteration.body.values(); ++value) {
    if (is_beside(iteration, value)) rows += first[static_cast<std::size_t>(value)].size();
  }
  return rows * iteration.shape().columns;
}

}  // namespace terrace::graph
