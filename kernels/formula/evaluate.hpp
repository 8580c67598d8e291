// Formulas computed cell by cell: as they are defined.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/formula/formula.hpp"

namespace terrace::formula {

/// The value of a node: `whole` of whole numbers and conditions, else `real`, which holds values of f32 exactly.
struct CellValue {
  double real = 0;
  std::int64_t whole = 0;
};

/// The value of an operation. @param type of the operands; that of a conversion, and of the values that are chosen
CellValue apply(const Node& node, Type type, const CellValue& a, const CellValue& b, const CellValue& c);

/// Computes all nodes. @param leaf the value of a read, series, index, extent or step: CellValue(const Node&)
/// @param values room, afterwards a value a node
template <class Leaf>
void evaluate(const Formula& formula, const Leaf& leaf, std::vector<CellValue>& values) {
  const std::vector<Node>& nodes = formula.nodes();
  values.resize(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    if (node.operation == Operation::constant) {
      values[n] = {node.real, node.whole};
    } else if (node.operand_count() == 0) {
      values[n] = leaf(node);
    } else {
      const auto of = [&](std::size_t operand) {
        return node.operands[operand] < 0 ? CellValue{} : values[static_cast<std::size_t>(node.operands[operand])];
      };
      values[n] = apply(node, formula[node.operands[0]].type, of(0), of(1), of(2));
    }
  }
}

}  // namespace terrace::formula
