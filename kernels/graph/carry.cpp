#include "kernels/graph/carry.hpp"

#include <algorithm>

#include "kernels/graph/operators.hpp"
#include "kernels/graph/slabs.hpp"
#include "kernels/graph/task.hpp"

namespace terrace::graph {
namespace {

/// The rows of an operand that a row in the middle of a node reads; the row itself, of an operand of as many rows.
struct RowRead {
  Range rows;
  bool is_own = false;
};
RowRead row_read(const Graph& graph, const Node& node, std::size_t operand) {
  const Range row{node.shape.rows / 2, node.shape.rows / 2 + 1};
  const Area area = reach_of(graph, node, static_cast<int>(operand), {row, {0, node.shape.columns}});
  return {area.rows, area.rows == row && node.shape.rows == graph.shape(node.operands[operand]).rows};
}

/// True if all values that are made from the states read their own rows.
bool is_read_by_rows(const Graph& graph, int first) {
  std::vector<bool> depends(static_cast<std::size_t>(graph.values()));
  for (int value = first; value < first + nodes_of_iteration(graph, first); ++value) {
    depends[static_cast<std::size_t>(value)] = true;
  }
  for (int value = first; value < graph.values(); ++value) {
    const Node& node = graph.node(value);
    for (std::size_t operand = 0; operand < node.operands.size(); ++operand) {
      if (!depends[static_cast<std::size_t>(node.operands[operand])]) continue;
      const RowRead read = row_read(graph, node, operand);
      if (read.rows.size() <= 0) continue;
      if (!read.is_own) return false;
      depends[static_cast<std::size_t>(value)] = true;
    }
  }
  return true;
}

i64 passes_of(const Iteration& iteration, i64 pass_steps) { return (iteration.times + pass_steps - 1) / pass_steps; }

i64 radius_of_pass(const Iteration& iteration, i64 pass_steps) {
  return std::min(iteration.times, pass_steps) * iteration.row_radius;
}

bool may_carry(const Graph& graph, int first, i64 pass_steps) {
  const Iteration& iteration = *graph.node(first).settings.iteration;
  const i64 handed = passes_of(iteration, pass_steps) - 1, radius = radius_of_pass(iteration, pass_steps);
  if (iteration.wraps || handed < 1 || radius < 1 || handed > iteration.shape().rows / (2 * radius)) return false;
  return is_read_by_rows(graph, first);
}

/// The sum of a function of 1 to `count`, from some of them.
template <class Of>
double sum_of(i64 count, const Of& of) {
  constexpr i64 looked_at = 32;
  const i64 pieces = std::min(looked_at, count);
  double sum = 0;
  for (i64 piece = 0; piece < pieces; ++piece) {
    const auto at = [&](i64 number) { return 1 + (count - 1) * number / pieces; };
    sum += static_cast<double>(of(at(piece)) + of(at(piece + 1))) / 2;
  }
  return pieces > 0 ? sum / static_cast<double>(pieces) * static_cast<double>(count) : 0;
}

}  // namespace

std::vector<int> carriers_of(const GraphSpec& spec) {
  const Graph& graph = *spec.graph;
  std::vector<int> found;
  if (spec.pass_steps == 0) return found;
  for (int value = 0; value < graph.values(); ++value) {
    const int nodes = nodes_of_iteration(graph, value);
    if (nodes == 0) continue;
    if (may_carry(graph, value, spec.pass_steps) && found.size() < most_carries) found.push_back(value);
    value += nodes - 1;
  }
  return found;
}

std::optional<std::size_t> carrier_of(const Graph& graph, const std::vector<int>& carriers, int value) {
  for (std::size_t n = 0; n < carriers.size(); ++n) {
    if (carriers[n] <= value && value < carriers[n] + nodes_of_iteration(graph, carriers[n])) return n;
  }
  return std::nullopt;
}

i64 carry_rows(const Iteration& iteration, i64 pass_steps) {
  return static_cast<i64>(iteration.states()) * (passes_of(iteration, pass_steps) - 1) * 2 *
         radius_of_pass(iteration, pass_steps);
}

Range rows_reached_by_carrier(const Iteration& iteration, i64 pass_steps, Range rows) {
  return {std::max<i64>(0, rows.begin - radius_of_pass(iteration, pass_steps)),
          std::min(iteration.shape().rows, rows.end + iteration.times * iteration.row_radius)};
}

PassRows::PassRows(const Iteration& iteration, i64 pass_steps, const Rows& wanted)
    : iteration_(iteration), pass_steps_(pass_steps), wanted_(wanted.empty() ? Range{} : wanted.ranges().front()) {}

i64 PassRows::passes() const { return passes_of(iteration_, pass_steps_); }

i64 PassRows::radius() const { return radius_of_pass(iteration_, pass_steps_); }

Range PassRows::made(i64 pass) const {
  if (wanted_.size() == 0) return {};
  const i64 left = iteration_.times - std::min(pass * pass_steps_, iteration_.times);
  const i64 ahead = left * iteration_.row_radius, extent = iteration_.shape().rows;
  return {wanted_.begin == 0 ? 0 : std::min(wanted_.begin + ahead, extent), std::min(wanted_.end + ahead, extent)};
}

Range PassRows::there(i64 pass) const {
  const Range own = made(pass);
  return {std::max<i64>(0, own.begin - carried()), own.end};
}

Range PassRows::handed_on(i64 pass) const {
  const Range own = made(pass);
  return own.size() == 0 ? Range{} : Range{std::max<i64>(0, own.end - carried()), own.end};
}

i64 PassRows::place(i64 pass, std::size_t state, i64 row, i64 end) const {
  return ((pass - 1) * static_cast<i64>(iteration_.states()) + static_cast<i64>(state) + 1) * carried() - (end - row);
}

i64 PassRows::most() const {
  return std::min(iteration_.shape().rows, std::max(made(1).size(), made(passes()).size()) + carried());
}

i64 values_beside(const Iteration& iteration, const PassRows& rows) {
  i64 values = 2 * static_cast<i64>(iteration.states());
  for (int value = 0; value < iteration.body.values(); ++value) values += is_beside(iteration, value) ? 1 : 0;
  return values * rows.most() * iteration.shape().columns;
}

double rows_made(const Iteration& iteration, const Rows& wanted) {
  if (iteration.times == 0) return static_cast<double>(wanted.size());
  return sum_of(iteration.times, [&](i64 step) { return rows_after(iteration, step, wanted).size(); });
}

double rows_made(const Iteration& iteration, const PassRows& rows) {
  // Steps but the last one of a pass make rows around those of the pass, too: in the mean half its radius at each
  // end.
  const i64 around = rows.radius() - iteration.row_radius;
  const auto made = [&](i64 pass) {
    const i64 own = rows.made(pass).size();
    return own > 0 ? own + around : 0;
  };
  return sum_of(rows.passes(), made) * static_cast<double>(iteration.times) / static_cast<double>(rows.passes());
}

}  // namespace terrace::graph
