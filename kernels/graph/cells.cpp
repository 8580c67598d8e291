#include "kernels/graph/cells.hpp"

#include <algorithm>
#include <limits>

#include "kernels/graph/iteration.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operators.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::graph {
namespace {

bool holds(const Rows& all, const Rows& others) {
  return std::ranges::all_of(others.ranges(), [&](const Range& other) {
    return std::ranges::any_of(all.ranges(),
                               [&](const Range& own) { return own.begin <= other.begin && other.end <= own.end; });
  });
}

bool holds(const Rows& all, i64 row) {
  return std::ranges::any_of(all.ranges(), [&](const Range& own) { return own.begin <= row && row < own.end; });
}

}  // namespace

Cells Cells::of(const Area& area) {
  Cells made;
  made.rows.add(area.rows);
  made.columns.add(area.columns);
  return made;
}

bool Cells::holds(const Cells& other) const {
  return other.empty() || (graph::holds(rows, other.rows) && graph::holds(columns, other.columns));
}

void Cells::add(const Cells& other) {
  if (other.empty()) return;
  rows.add(other.rows);
  columns.add(other.columns);
}

std::size_t Cells::number_of(i64 i, i64 j) const {
  if (!graph::holds(rows, i) || !graph::holds(columns, j)) throw Error("a cell of a graph reads beyond its reach");
  return static_cast<std::size_t>(rows.number_of(i) * columns.size() + columns.number_of(j));
}

Cells cells_seen(ElementType type, Shape shape, const Cells& cells, const Moves& down, const Moves& across) {
  Cells seen;
  for (const Range& rows : cells.rows.ranges()) seen.rows.add(rows_warped(type, shape.rows, rows, down));
  for (const Range& columns : cells.columns.ranges()) {
    seen.columns.add(rows_warped(type, shape.columns, columns, across));
  }
  return seen;
}

Cells cells_read(const Graph& graph, const Node& node, int operand, const Cells& cells) {
  const Shape shape = graph.shape(node.operands[static_cast<std::size_t>(operand)]);
  Cells read;
  for (const Range& rows : cells.rows.ranges()) {
    for (const Range& columns : cells.columns.ranges()) {
      const Area area = reach_of(graph, node, operand, {rows, columns});
      read.rows.add_inside(area.rows, shape.rows, node.settings.boundary);
      read.columns.add_inside(area.columns, shape.columns, node.settings.boundary);
    }
  }
  return read;
}

void add_cells_read(const Graph& graph, std::vector<Cells>& needed, std::optional<double> moves) {
  const auto of = [&](int value) -> Cells& { return needed[static_cast<std::size_t>(value)]; };
  for (int value = graph.values() - 1; value >= 0 && graph.is_node(value); --value) {
    const Node& node = graph.node(value);
    if (node.settings.iteration && nodes_of_iteration(graph, value) > 1) continue;
    // All states of an iteration have the same cells.
    const int first = first_of_iteration(graph, value);
    for (int state = first; state < value; ++state) of(value).add(of(state));
    for (int state = first; state < value; ++state) of(state) = of(value);
    if (of(value).empty()) continue;
    std::vector<Cells> steps;
    if (node.settings.iteration) steps = cells_of_steps(*node.settings.iteration, of(value)).operands;
    for (std::size_t operand = 0; operand < node.operands.size(); ++operand) {
      const int read = node.operands[operand];
      const bool is_seen = operand == 0 && row_displacement(node).has_value();
      if (node.settings.iteration) of(read).add(steps[operand]);
      else if (!is_seen) of(read).add(cells_read(graph, node, static_cast<int>(operand), of(value)));
      else if (moves) {
        const Moves along{-*moves, *moves};
        of(read).add(cells_seen(graph.type, graph.shape(read), of(value), along, along));
      }
    }
  }
}

std::vector<Cells> cells_of_body(const Iteration& iteration, const Cells& next) {
  std::vector<Cells> needed(static_cast<std::size_t>(iteration.body.values()));
  for (const int value : iteration.next) needed[static_cast<std::size_t>(value)].add(next);
  add_cells_read(iteration.body, needed);
  return needed;
}

StepCells cells_of_steps(const Iteration& iteration, const Cells& wanted) {
  // Steps after which cells that are more with each step are too many to be made.
  constexpr i64 most_growing = 1 << 16;
  StepCells made{{wanted}, std::vector<Cells>(iteration.body.inputs.size())};
  for (i64 step = 0; step < iteration.times; ++step) {
    const std::vector<Cells> needed = cells_of_body(iteration, made.states.back());
    const double operations = operations_of(iteration.body, needed);
    Cells before = made.states.back();
    for (std::size_t n = 0; n < made.operands.size(); ++n) {
      if (n < iteration.states()) before.add(needed[n]);
      else made.operands[n].add(needed[n]);
    }
    const bool is_all = before == made.states.back();
    made.operations += operations * static_cast<double>(is_all ? iteration.times - step : 1);
    if (is_all) break;
    if (step == most_growing) made.operations = std::numeric_limits<double>::infinity();
    if (step == most_growing) break;
    made.states.push_back(std::move(before));
  }
  for (std::size_t n = 0; n < iteration.states(); ++n) made.operands[n] = made.states.back();
  return made;
}

double operations_of(const Node& node, const Cells& cells) {
  constexpr double least = 8;
  if (cells.empty()) return 0;
  if (node.settings.iteration) return cells_of_steps(*node.settings.iteration, cells).operations;
  double each = least;
  if (node.settings.formula) {
    // Operations of vectors.
    each = 0.125 + static_cast<double>(node.settings.formula->cells.nodes().size()) / 128;
  } else if (row_displacement(node)) {
    each = 4 * least;
  } else {
    const double height = 2 * node.settings.row_radius + 1, width = 2 * node.settings.column_radius + 1;
    each = std::max(least, height * width);
  }
  return each * cells.count();
}

double operations_of(const Graph& graph, const std::vector<Cells>& needed) {
  double all = 0;
  for (int value = 0; value < graph.values(); ++value) {
    const bool is_made = graph.is_node(value) && nodes_of_iteration(graph, value) <= 1;
    if (is_made) all += operations_of(graph.node(value), needed[static_cast<std::size_t>(value)]);
  }
  return all;
}

}  // namespace terrace::graph
