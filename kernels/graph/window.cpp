#include "kernels/graph/window.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/graph/iteration.hpp"
#include "kernels/graph/reference/formula_cells.hpp"

namespace terrace::graph {
namespace {

/// Pixels by which warps are taken to move.
constexpr double expected_moves = 16;

template <class T>
Array<T> cells_of(const Node& node, const std::vector<const Array<T>*>& operands, const Cells& cells) {
  return node.settings.formula ? formula_cells(node, operands, cells) : cells_as_defined(node, operands, cells);
}

/// The smallest and the largest displacement among some cells, NaN aside.
template <class T>
Moves moves_in(const Array<T>& displacements, const Cells& cells) {
  Moves moves{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (i64 row = 0; row < cells.rows.size(); ++row) {
    for (i64 column = 0; column < cells.columns.size(); ++column) {
      const double move = displacements.at(cells.rows[row], cells.columns[column]);
      moves = {std::fmin(moves.smallest, move), std::fmax(moves.largest, move)};
    }
  }
  return moves;
}

}  // namespace

WindowLimits work_of_cells(const Graph& graph, int value, const Cells& cells) {
  std::vector<Cells> needed(static_cast<std::size_t>(graph.values()));
  needed[static_cast<std::size_t>(value)] = cells;
  add_cells_read(graph, needed, expected_moves);
  double values = 0;
  for (const Cells& own : needed) values += own.count();
  return {operations_of(graph, needed), values};
}

template <class T>
Window<T>::Window(const Graph& graph, ReadInput read, std::span<const double> numbers, WindowLimits limits,
                  std::function<void()> advance)
    : graph_(graph), read_(std::move(read)), left_(limits), advance_(std::move(advance)) {
  for (Node& node : graph_.nodes) {
    const std::vector<T> all = numbers_of<T>(node.settings, numbers.data());
    node.settings.numbers.assign(all.begin(), all.end());
  }
  for (int value = 0; value < graph_.values(); ++value) made_.push_back({graph_.shape(value), {}, Cells{}});
}

template <class T>
const Array<T>& Window<T>::make(int value, const Cells& cells) {
  std::vector<Cells> needed(static_cast<std::size_t>(graph_.values()));
  needed[static_cast<std::size_t>(value)] = cells;
  add_cells_read(graph_, needed);
  // All that is known to be needed of a value is made at once.
  for (int own = 0; own <= value; ++own) add(own, needed[static_cast<std::size_t>(own)]);
  return of(value);
}

/// Makes cells, after those that they are made from.
template <class T>
void Window<T>::add(int value, const Cells& cells) {
  if (of(value).part->holds(cells)) return;
  Cells all = *of(value).part;
  all.add(cells);
  const int first = first_of_iteration(graph_, value), states = nodes_of_iteration(graph_, first);
  if (states > 0) add_states(first, states, all);
  else add_cells(value, all);
}

template <class T>
void Window<T>::add_cells(int value, const Cells& cells) {
  if (!graph_.is_node(value)) {
    count(0, cells.count());
    of(value) = {graph_.shape(value), read_(value, cells), cells};
    return;
  }
  const Node& node = graph_.node(value);
  const bool is_warp = row_displacement(node).has_value();
  for (std::size_t n = is_warp ? 1 : 0; n < node.operands.size(); ++n) {
    add(node.operands[n], cells_read(graph_, node, static_cast<int>(n), cells));
  }
  if (is_warp) add_seen(node, cells);
  count(operations_of(node, cells), cells.count());
  of(value) = cells_of(node, operands_of(node), cells);
}

template <class T>
void Window<T>::add_seen(const Node& node, const Cells& cells) {
  const int seen = node.operands[0];
  add(seen, cells_seen(graph_.type, graph_.shape(seen), cells, moves_in(of(node.operands[2]), cells),
                       moves_in(of(node.operands[1]), cells)));
}

template <class T>
void Window<T>::add_states(int first, int states, const Cells& cells) {
  const Node& node = graph_.node(first);
  const Iteration& iteration = *node.settings.iteration;
  const StepCells steps = cells_of_steps(iteration, cells);
  for (std::size_t n = 0; n < node.operands.size(); ++n) add(node.operands[n], steps.operands[n]);
  count(steps.operations, cells.count());
  std::vector<Array<T>> inputs;
  for (const Array<T>* operand : operands_of(node)) inputs.push_back(*operand);
  for (i64 left = iteration.times; left-- > 0;) {
    take_step(iteration, cells_of_body(iteration, steps.before_end(left)), inputs);
    if (advance_) advance_();
  }
  for (int state = 0; state < states; ++state) {
    const auto number = static_cast<std::size_t>(graph_.node(first + state).settings.state);
    of(first + state) = inputs[number];
  }
}

/// Makes the next states of an iteration. @param needed cells of each value of its body
template <class T>
void Window<T>::take_step(const Iteration& iteration, const std::vector<Cells>& needed,
                          std::vector<Array<T>>& inputs) {
  std::vector<const Array<T>*> all;
  all.reserve(inputs.size());
  for (const Array<T>& input : inputs) all.push_back(&input);
  std::vector<Array<T>> made(iteration.body.nodes.size());
  for (std::size_t n = 0; n < made.size(); ++n) {
    const Node& node = iteration.body.nodes[n];
    std::vector<const Array<T>*> operands;
    for (const int operand : node.operands) operands.push_back(all[static_cast<std::size_t>(operand)]);
    made[n] = cells_of(node, operands, needed[inputs.size() + n]);
    all.push_back(&made[n]);
  }
  std::vector<Array<T>> next;
  for (const int value : iteration.next) next.push_back(*all[static_cast<std::size_t>(value)]);
  std::ranges::move(next, inputs.begin());
}

template <class T>
std::vector<const Array<T>*> Window<T>::operands_of(const Node& node) const {
  std::vector<const Array<T>*> operands;
  for (const int operand : node.operands) operands.push_back(&made_[static_cast<std::size_t>(operand)]);
  return operands;
}

template <class T>
void Window<T>::count(double operations, double values) {
  left_.operations -= operations;
  left_.values -= values;
  if (!(left_.operations >= 0 && left_.values >= 0)) throw TooMuchWork();
  if (advance_) advance_();
}

template class Window<float>;
template class Window<double>;

}  // namespace terrace::graph
