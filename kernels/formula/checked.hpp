// Formulas of whole numbers that are exact or fail, computed cell by cell: a value is computed only where it is
// needed, so that of if(c, a, b), && and || what is not chosen cannot fail.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/formula/evaluate.hpp"
#include "kernels/formula/formula.hpp"

namespace terrace::formula {

/// The reason why a formula has no value at a cell.
struct Failure {
  enum Kind : std::uint8_t {
    none,
    overflow,      // the value is beyond the node's type
    zero_divisor,  // of / or % of whole numbers
    no_whole,      // a real number that no value of the whole type is, when its fraction is dropped
    no_element     // the subscripts of a look-up lie outside the array
  } kind = none;
  int node = -1;
  CellValue operands[3];  // of the node
};

/// Computes the results of one formula, cell after cell. One for each thread. The formula outlives it.
class CheckedCells {
 public:
  explicit CheckedCells(const Formula& formula);

  /// Computes a result. @param leaf the value of a read, series, index, extent or step:
  /// CellValue(const Node&), and of a look-up: bool(const Node&, const CellValue* subscripts, CellValue&), false
  /// outside
  /// @return false if it has none: failure() is the reason
  template <class Leaf>
  bool compute(int result, const Leaf& leaf, CellValue& value) {
    if (++cell_ == 0) forget();
    if (!need(formula_->results()[static_cast<std::size_t>(result)], leaf)) return false;
    value = values_[static_cast<std::size_t>(formula_->results()[static_cast<std::size_t>(result)])];
    return true;
  }
  const Failure& failure() const { return failure_; }

 private:
  template <class Leaf>
  bool need(int number, const Leaf& leaf) {
    const auto at = static_cast<std::size_t>(number);
    if (known_[at] == cell_) return true;
    const Node& node = formula_->nodes()[at];
    if (!find(node, number, leaf)) return false;
    known_[at] = cell_;
    return true;
  }
  template <class Leaf>
  bool find(const Node& node, int number, const Leaf& leaf) {
    CellValue& value = values_[static_cast<std::size_t>(number)];
    if (node.operation == Operation::constant) {
      value = {node.real, node.whole};
      return true;
    }
    const int count = node.operand_count();
    if (count == 0) {
      value = leaf(node);
      return true;
    }
    if (!need(node.operands[0], leaf)) return false;
    if (decides(node)) return need_chosen(node, leaf, value);
    CellValue operands[3];
    for (int n = 0; n < count; ++n) {
      const int operand = node.operands[static_cast<std::size_t>(n)];
      if (!need(operand, leaf)) return false;
      operands[n] = values_[static_cast<std::size_t>(operand)];
    }
    if (node.operation != Operation::look_up) return apply_checked(node, number, operands, value);
    return leaf(node, operands, value) || fail(Failure::no_element, number, operands);
  }
  /// True if the first operand decides which others are needed.
  static bool decides(const Node& node) {
    return node.operation == Operation::choose || node.operation == Operation::both ||
           node.operation == Operation::either;
  }
  template <class Leaf>
  bool need_chosen(const Node& node, const Leaf& leaf, CellValue& value) {
    const bool first = values_[static_cast<std::size_t>(node.operands[0])].whole != 0;
    if (node.operation != Operation::choose && first == (node.operation == Operation::either)) {
      value = {0, first};
      return true;
    }
    const int chosen = node.operands[node.operation == Operation::choose && !first ? 2 : 1];
    if (!need(chosen, leaf)) return false;
    value = values_[static_cast<std::size_t>(chosen)];
    return true;
  }
  bool apply_checked(const Node& node, int number, const CellValue* operands, CellValue& value);
  bool fail(Failure::Kind kind, int number, const CellValue* operands);
  void forget();

  const Formula* formula_;
  std::vector<CellValue> values_;
  std::vector<std::uint32_t> known_;  // the cell of which a value is
  std::uint32_t cell_ = 0;
  Failure failure_;
};

/// The whole number that a real one is without its fraction; false if no value of the type is it.
bool to_whole(double real, Type type, std::int64_t& whole);

}  // namespace terrace::formula
