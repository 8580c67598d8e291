// Formulas of nests as statements of C++ that give a value, or the node that has none.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/formula/formula.hpp"
#include "kernels/nest/nest.hpp"

namespace terrace::nest {

/// A leaf in source: statements that declare its value, by its name, and, if it can fail, a bool of its failure.
struct LeafInSource {
  std::string statements;
  bool fails = false;
  std::string why;  // statements that fill *why in, of one that can fail
};

/// The C++ type of elements of arrays, "unsigned char".
std::string type_in_source(ElementType type);

/// Prints a formula that is computed as a whole, so that what is not chosen is computed, too, and may fail without
/// consequence (formula/checked.hpp).
class FormulaInSource {
 public:
  /// @param bounds of the nodes (node_bounds()) @param leaf of a read, an index or a look-up, by its number
  FormulaInSource(const formula::Formula& formula, const std::vector<formula::Bounds>& bounds, ElementType type);

  /// The C++ type of a node. Whole numbers are `int` if all of the formula are within it.
  std::string type(int node) const;
  /// Statements that make all nodes.
  std::string statements(const std::function<LeafInSource(int node, const formula::Node&)>& leaf);
  /// The expression of the formula's failure after these statements: 0, or the code of work.hpp.
  std::string code() const;
  bool fails() const;
  /// Cases of a switch over the code that fill in *why but for the place.
  std::string reasons() const { return reasons_; }
  /// The name of the value of the result, and its type.
  std::string result() const;
  std::string result_type() const;

 private:
  bool is_whole_within(int node, const formula::Bounds& bounds) const;
  bool checks_type() const;
  std::string error_of(int node) const;
  std::string whole_operation(int node, const formula::Node& node_of, bool& fails);
  std::string division(int node, const formula::Node& node_of, bool can_leave, bool& fails);
  std::string failure_of(int node, const formula::Node& node_of, bool fails) const;
  void add_reason(int node, const std::string& kind);

  const formula::Formula& formula_;
  const std::vector<formula::Bounds>& bounds_;
  ElementType type_;  // of the array of the result
  bool narrow_ = true;
  std::vector<bool> fails_;
  std::string reasons_;
};

}  // namespace terrace::nest
