// From the texts of a job to the formulas of a stencil (written.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/stencil/stencil.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {

/// A number of a job by name. One without a point takes the type beside it, as in a formula.
struct NamedNumber {
  std::string name;
  bool is_whole = false;
  double real = 0;
  std::int64_t whole = 0;
};

/// A parameter of a job as a number in a formula is: whole without a point and an exponent. @return nullopt if the
/// text is no number
std::optional<NamedNumber> named_number(const std::string& name, const std::string& text);

/// The formulas of a step as they are written, and what their names mean.
struct WrittenText {
  std::vector<std::string> fields;  // in the order in which results have them
  std::vector<std::string> arrays;  // constant: array a has number a in StencilSpec
  std::vector<std::string> series;
  std::vector<NamedNumber> parameters;
  struct Cell {
    std::size_t field;
    std::string text;
  };
  std::vector<Cell> cells;  // one a field, in the order in which they are made
  bool in_turn = false;     // a formula reads what those before it have made in this step; else the step before
  std::int64_t steps = 0;   // that are made
};

/// A fault of a formula, or of a name.
struct WrittenFault {
  std::size_t cell;  // of WrittenText::cells; `none` for a fault of a name
  formula::Fault fault;
  std::string name;  // that clashes
  static constexpr std::size_t none = ~std::size_t{0};
};

/// Parses and checks the formulas. @param spec rank, extents, faces, value, mask and source are set
/// @throws WrittenFault
std::shared_ptr<const Written> write(const WrittenText& text, const StencilSpec& spec);

/// The formulas as text, names aside: if it is equal, so are the results, given the same fields, arrays and series in
/// the same order. @throws formula::Fault of a text that is no formula
std::string canonical(const WrittenText& text);

/// The radius of a stencil with these formulas: the largest offset of a read, at least 1.
int radius_of(const Written& written);

}  // namespace terrace::stencil
