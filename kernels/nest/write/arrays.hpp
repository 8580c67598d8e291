// The arrays that statements write, and the boxes in which they do.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/nest/write/names.hpp"

namespace terrace::nest {

/// Makes the arrays and statements of a nest, but for types and formulas. Calls come in the order of the functions.
class ArrayWriter {
 public:
  /// @param nest with its loops and inputs @param parsed the statements; all outlive it
  ArrayWriter(Nest& nest, const NestText& text, const Names& names, const std::vector<formula::Assignment>& parsed)
      : nest_(nest), text_(text), names_(names), parsed_(parsed) {}

  void make_arrays();
  void make_statements();
  /// Statements that write one array do so in boxes that do not meet and are one box together.
  void check_writers();
  /// The elements that each array has.
  void make_boxes();

 private:
  /// Takes the number of an array's subscripts from a statement that writes it.
  void take_target(const formula::Syntax& target);
  std::string hint(const std::string& word) const;
  Ranges box_of(std::size_t cell) const;
  Ranges joined(const Array& array, const std::vector<std::pair<std::size_t, Ranges>>& all) const;
  void take_from(Array& array) const;

  Nest& nest_;
  const NestText& text_;
  const Names& names_;
  const std::vector<formula::Assignment>& parsed_;
};

}  // namespace terrace::nest
