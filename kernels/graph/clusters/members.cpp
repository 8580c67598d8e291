#include "kernels/graph/clusters/members.hpp"

#include <algorithm>

#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operator_list.hpp"
#include "kernels/graph/operators.hpp"

namespace terrace::graph {
namespace {

/// Adds the operations of a node's formula, whose reads are of values of the graph.
void add_operations(formula::Formula& all, const Node& node) {
  std::vector<int> places;
  for (formula::Node own : node.settings.formula->cells.nodes()) {
    for (int& operand : own.operands) {
      if (operand >= 0) operand = places[static_cast<std::size_t>(operand)];
    }
    if (own.operation == formula::Operation::read) own.number = node.operands[static_cast<std::size_t>(own.number)];
    places.push_back(all.add(own));
  }
}

double operations_in(const formula::Formula& all) {
  constexpr double of_a_quotient = 8;  // in addition to one
  double count = 0.8 * all.operations();
  for (const formula::Node& own : all.nodes()) {
    if (own.operation == formula::Operation::divide || own.operation == formula::Operation::root)
      count += of_a_quotient;
  }
  return count;
}

}  // namespace

Shape radius_of(const Graph& graph, const Node& node, std::size_t operand) {
  constexpr i64 at = most_extent / 2;
  const Area area = reach_of(graph, node, static_cast<int>(operand), {{at, at + 1}, {at, at + 1}});
  return {std::max(at - area.rows.begin, area.rows.end - 1 - at),
          std::max(at - area.columns.begin, area.columns.end - 1 - at)};
}

Shape radius_of(const Graph& graph, const Node& node) {
  Shape most;
  for (std::size_t n = 0; n < node.operands.size(); ++n) {
    const Shape own = radius_of(graph, node, n);
    most = {std::max(most.rows, own.rows), std::max(most.columns, own.columns)};
  }
  return most;
}

bool sums_rows(const Node& node) {
  bool sums = false;
  if (node.op >= Operators::size) return false;
  Operators::visit(node.op, [&]<class Op>(Op) {
    if constexpr (SumsRows<Op>) sums = Op::sums_rows(constants_of<float>(node.settings, nullptr));
  });
  return sums;
}

i64 terms_of(const Node& node, Shape radius) {
  const i64 rows = 2 * radius.rows + 1, columns = 2 * radius.columns + 1;
  if (node.settings.formula) return static_cast<i64>(node.settings.formula->cells.operations()) + 1;
  return sums_rows(node) ? rows + columns : rows * columns * static_cast<i64>(node.operands.size());
}

double operations_of(const Graph& graph, const std::vector<int>& nodes) {
  formula::Formula formulas;
  double all = 0;
  for (const int value : nodes) {
    const Node& node = graph.node(value);
    all += 1.8;
    if (node.settings.formula) add_operations(formulas, node);
    else all += 0.8 * static_cast<double>(terms_of(node, radius_of(graph, node)) - 1);
  }
  return all + operations_in(formulas);
}

}  // namespace terrace::graph
