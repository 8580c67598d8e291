#include "kernels/graph/operators.hpp"

#include <algorithm>
#include <array>

#include "kernels/graph/iteration.hpp"
#include "kernels/graph/moves.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operator_list.hpp"

namespace terrace::graph {
namespace {

template <class Op>
OperatorInfo info_of() {
  return {.own_key = Op::operands > 0 ? OwnKey::arrays : OwnKey::number,
          .name = Op::name,
          .help = Op::help,
          .operands = Op::operands,
          .more = Op::more,
          .more_key = Op::more_key,
          .more_help = Op::more_help,
          .radius = Op::radius,
          .parameters = Op::parameters,
          .coefficient_keys = Op::coefficient_keys,
          .number_key = Op::number_key,
          .is_reduction = false,
          .makes = {},
          .takes_size = Op::takes_size,
          .has_boundary = Op::has_boundary,
          .extent = [](i64 n) { return Op::extent(n); },
          .fits = [](i64 n, i64 wanted) { return Op::fits(n, wanted); },
          .reach =
              [](const NodeSettings& settings, int operand, Shape shape, const Area& area) {
                return Op::reach(constants_of(settings, settings.numbers.data()), operand, shape, area);
              }};
}

Area reach_of_formula(const NodeSettings& settings, int operand, Shape, const Area& area) {
  const formula::Reach& reach = settings.formula->reach[static_cast<std::size_t>(operand)];
  return {{area.rows.begin + reach.low[0], area.rows.end + reach.high[0]},
          {area.columns.begin + reach.low[1], area.columns.end + reach.high[1]}};
}

OperatorInfo formula_info() {
  OperatorInfo info = info_of<Add>();
  info.own_key = OwnKey::formula;
  info.name = "formula";
  info.help =
      "each cell by a formula of `operands`, by their names there: x the value at the cell, x[-1,0] that of the row "
      "above, i and j the row and the column, size(0) and size(1) their numbers";
  info.operands = 0;
  info.has_boundary = true;
  info.reach = reach_of_formula;
  return info;
}

Area reach_of_iteration(const NodeSettings& settings, int, Shape shape, const Area& area) {
  const Iteration& iteration = *settings.iteration;
  const auto along = [&](const Range& range, i64 radius, i64 extent, bool wraps) -> Range {
    const Range wide = widened(range, std::min(extent, std::min(iteration.times, extent) * radius));
    return wraps ? wide : Range{std::max<i64>(wide.begin, 0), std::min(wide.end, extent)};
  };
  return {along(area.rows, iteration.row_radius, shape.rows, iteration.wraps),
          along(area.columns, iteration.column_radius, shape.columns, false)};
}

OperatorInfo iteration_info() {
  OperatorInfo info = formula_info();
  info.own_key = OwnKey::iteration;
  info.name = "iterate";
  info.help = "the `nodes` of a graph of its own, made again and again from the `state` that they leave";
  info.has_boundary = false;
  info.reach = reach_of_iteration;
  return info;
}

template <class Op>
OperatorInfo info_of_reduction() {
  OperatorInfo info{};
  info.name = Op::name;
  info.help = Op::help;
  info.operands = 1;
  info.more_key = info.more_help = info.number_key = "";
  info.parameters = Op::parameters;
  info.is_reduction = true;
  info.makes = Op::makes;
  return info;
}

/// The reason why a neighbourhood's radius is beyond the array's extent; empty: it is not.
std::string width_fault(const Node& node, Shape shape) {
  const NodeSettings& settings = node.settings;
  if (settings.row_radius <= shape.rows && settings.column_radius <= shape.columns) return "";
  const Shape wanted{2 * settings.row_radius + 1, 2 * settings.column_radius + 1};
  return "its neighbourhood of " + to_string(wanted) + " has a radius beyond the rows or columns of an array of " +
         to_string(shape);
}

}  // namespace

std::span<const OperatorInfo> operators() {
  static const auto all = [] {
    std::vector<OperatorInfo> found;
    Operators::for_each([&]<class Op>(Op) { found.push_back(info_of<Op>()); });
    found.push_back(formula_info());
    found.push_back(iteration_info());
    Reductions::for_each([&]<class Op>(Op) { found.push_back(info_of_reduction<Op>()); });
    return found;
  }();
  return all;
}

bool may_iterate(const OperatorInfo& info) {
  if (info.own_key == OwnKey::formula) return true;
  if (info.own_key != OwnKey::arrays || info.takes_size || info.is_reduction) return false;
  constexpr i64 odd = 1001, even = 1000;
  const Area area = info.reach({}, 0, {even, even}, {{0, 1}, {0, 1}});
  return info.extent(odd) == odd && info.extent(even) == even && area.rows.size() == 1;
}

std::optional<int> find_operator(std::string_view name) {
  const auto all = operators();
  const auto found = std::ranges::find_if(all, [&](const OperatorInfo& info) { return info.name == name; });
  if (found == all.end()) return std::nullopt;
  return static_cast<int>(found - all.begin());
}

Area reach_of(const Graph& graph, const Node& node, int operand, const Area& area, std::span<const double> known) {
  const OperatorInfo& info = operators()[static_cast<std::size_t>(node.op)];
  const Shape shape = graph.shape(node.operands[static_cast<std::size_t>(operand)]);
  Area all = info.reach(node.settings, operand, shape, area);
  const auto moves = operand == 0 ? moves_of(graph, node, known) : std::nullopt;
  if (moves) all.rows = rows_warped(graph.type, shape.rows, area.rows, *moves);
  return all;
}

std::string take_shape(Node& node, const std::vector<Shape>& operands, std::optional<Shape> wanted) {
  const OperatorInfo& info = operators()[static_cast<std::size_t>(node.op)];
  for (const Shape& other : operands) {
    if (other == operands.front()) continue;
    return "its operands have different shapes: " + to_string(operands.front()) + " and " + to_string(other);
  }
  const Shape shape = operands.front();
  node.shape = wanted ? *wanted : Shape{info.extent(shape.rows), info.extent(shape.columns)};
  if (node.shape.rows < 1 || node.shape.columns < 1) {
    return "an array of " + to_string(shape) + " is too small for '" + info.name + "'";
  }
  if (!info.fits(shape.rows, node.shape.rows) || !info.fits(shape.columns, node.shape.columns)) {
    return std::string("'") + info.name + "' of an array of " + to_string(shape) + " does not have the shape " +
           to_string(node.shape);
  }
  if (!is_possible(node.shape)) {
    return "its array of " + to_string(node.shape) + " is too large: arrays of a graph have at most " +
           std::to_string(most_extent) + " rows, as many columns and " + std::to_string(most_cells) + " cells";
  }
  return width_fault(node, shape);
}

std::string to_string(Shape shape) { return std::to_string(shape.rows) + " x " + std::to_string(shape.columns); }

}  // namespace terrace::graph
