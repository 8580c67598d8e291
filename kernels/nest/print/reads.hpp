// Reads of inputs and indices, and the ends of formulas, as source.
#pragma once

#include <string>
#include <vector>

#include "kernels/nest/print/formula.hpp"

namespace terrace::nest {

class PrintedReads {
 public:
  /// @param bounds of the values of arrays; outlive it, as the nest does
  PrintedReads(const Nest& nest, const std::vector<formula::Bounds>& bounds) : nest_(nest), bounds_(bounds) {}

  /// The element of an input at subscripts.
  std::string element(int input, const std::vector<std::string>& subscripts) const;
  /// The element of a block's part of an input nearest to subscripts; a value that stands for it if there is no part.
  std::string nearest_element(int input, std::vector<std::string> all) const;
  /// A value of an input that stands for one that is not there and that nothing needs.
  std::string stand_in(int number_of) const;
  /// A value of an array that stands for one that there is not: within the bounds that are known of the others, so
  /// that what is shown of cells holds for those that read it.
  std::string stand_in_of_array(int number_of) const;
  std::vector<std::string> subscripts(const Access& access) const;
  std::string declared(const FormulaInSource& formula, int node) const;
  std::string cast(const FormulaInSource& formula, int node, const std::string& value) const;
  LeafInSource index_leaf(const FormulaInSource& formula, int node, const formula::Node& of) const;
  LeafInSource input_leaf(const FormulaInSource& formula, int node, const formula::Node& of, bool is_inside) const;
  /// A value of an input that no iteration of the block needs.
  LeafInSource nearest_leaf(const FormulaInSource& formula, int node, const formula::Node& of) const;
  LeafInSource look_up(const FormulaInSource& formula, int node, const formula::Node& of) const;
  /// The end of a function that gives a value of a formula. @param outside its array; -1: a statement's
  std::string end_of(const FormulaInSource& formula, int outside) const;

 private:
  static std::string subscript(const Access& access, std::size_t axis);
  /// "s >= 0 && s < 5", of subscripts that are not known to lie inside.
  std::string inside(int input, const std::vector<std::string>& all) const;
  std::string place_of_failure() const;

  const Nest& nest_;
  const std::vector<formula::Bounds>& bounds_;
};

}  // namespace terrace::nest
