#include "kernels/graph/operators.hpp"

#include <algorithm>
#include <array>

#include "kernels/graph/operator_list.hpp"

namespace terrace::graph {
namespace {

template <class Op>
OperatorInfo info_of() {
  return {.name = Op::name,
          .help = Op::help,
          .operands = Op::operands,
          .more = Op::more,
          .more_key = Op::more_key,
          .more_help = Op::more_help,
          .radius = Op::radius,
          .parameters = Op::parameters,
          .number_key = Op::number_key,
          .is_reduction = false,
          .takes_size = Op::takes_size,
          .has_boundary = Op::has_boundary,
          .extent = [](i64 n) { return Op::extent(n); },
          .fits = [](i64 n, i64 wanted) { return Op::fits(n, wanted); },
          .reach =
              [](const NodeSettings& settings, int operand, Shape shape, const Area& area) {
                return Op::reach(constants_of(settings, settings.numbers.data()), operand, shape, area);
              }};
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
    Reductions::for_each([&]<class Op>(Op) { found.push_back(info_of_reduction<Op>()); });
    return found;
  }();
  return all;
}

std::optional<int> find_operator(std::string_view name) {
  const auto all = operators();
  const auto found = std::ranges::find_if(all, [&](const OperatorInfo& info) { return info.name == name; });
  if (found == all.end()) return std::nullopt;
  return static_cast<int>(found - all.begin());
}

Area reach_of(const Graph& graph, const Node& node, int operand, const Area& area) {
  const OperatorInfo& info = operators()[static_cast<std::size_t>(node.op)];
  return info.reach(node.settings, operand, graph.shape(node.operands[static_cast<std::size_t>(operand)]), area);
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
  if (std::max(node.shape.rows, node.shape.columns) > most_extent) {
    return "its array of " + to_string(node.shape) + " is too large";
  }
  return width_fault(node, shape);
}

std::string to_string(Shape shape) { return std::to_string(shape.rows) + " x " + std::to_string(shape.columns); }

}  // namespace terrace::graph
