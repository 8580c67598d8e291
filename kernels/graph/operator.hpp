// The concept of an operator of a graph: what a node computes from its operands.
//
// An operator is a struct without data:
//   name, help        as jobs and people see it
//   operands          that its own key takes: `add: [a, b]`
//   more, more_key, more_help   operands by a key of their own, after the others: `mask: w`; 0 and "": none
//   radius            of its neighbourhood, if no parameter says it
//   parameters        declarations; the numbers among them are Constants::numbers, in this order
//   extent(n)         rows of the result from rows of the operands, and columns alike; 0: the operand is too small
//   coefficient_keys  the parameters that hold coefficients of its neighbourhood, whose radius they say; {}: none do
//   number_key        a parameter that may be a number which a reduction makes, times a factor; "": none
//   takes_size        true if the result may have one of several sizes
//   has_boundary      true if its cells may read values outside of its operands, which a boundary says
//   fits(n, wanted)   true if the result may have `wanted` rows where its operands have n
//   reach(k, operand, shape, area)  all that the cells of an area read of an operand, which may lie outside of it
//   cell<T>(k, read, i, j)          the cell in row i and column j; read(operand, row, column) is a value of an
//   operand
//   sums_rows(k), row_sum(k, read, i, j), sum_of_rows(k, at)   of a neighbourhood whose rows may be summed first:
//   whether they are, the sum of row i around column j, and the cell from sums of rows, of which at(a) is number a
//   row_factors(k), column_factors(k)   of the terms of both sums, which are added from the first on; null: there are
//   none
//   sums_terms(k)     true if a cell is the sum of the values of its neighbourhood, row by row, times the numbers
// Its cells read nothing else, which is all that is known of dependences. Operations are those of values/rounded.hpp:
// each is rounded once, in the order written.
#pragma once

#include "kernels/graph/boundary.hpp"
#include "kernels/values/rounded.hpp"
#include "pipeline/base/parameter.hpp"

namespace terrace::graph {

/// The largest radius of an operator.
inline constexpr int most_radius = 16;

/// The most operands of an operator.
inline constexpr int most_operands = 3;

/// Half-open: rows, or columns.
struct Range {
  i64 begin = 0, end = 0;

  TERRACE_HOST_DEVICE constexpr i64 size() const { return end - begin; }
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

struct Area {
  Range rows, columns;
};

struct Shape {
  i64 rows = 0, columns = 0;

  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

/// The parameters of a node as its cells take them, in the type of values.
template <class T>
struct Constants {
  const T* numbers = nullptr;  // of a stencil its coefficients
  i32 row_radius = 0, column_radius = 0;
  i32 axis = 0;               // along which a difference is taken: 0 from row to row, 1 from column to column
  bool is_separable = false;  // coefficients of the rows, then those of the columns; else row by row
};

/// Keys of the coefficients of a neighbourhood: a list for each row; or one for all rows, and one for all columns.
struct CoefficientKeys {
  const char *dense = "", *rows = "", *columns = "";

  constexpr bool empty() const { return *dense == 0; }
};

/// The declared parameters of an operator.
template <int count>
constexpr ParameterList list_of(const Parameter (&parameters)[count]) {
  return {parameters, count};
}

TERRACE_HOST_DEVICE constexpr Range widened(Range range, i64 radius) {
  return {range.begin - radius, range.end + radius};
}

/// An operator whose cells read the values at their own place.
struct Pointwise {
  static constexpr int more = 0;
  static constexpr int radius = 0;
  static constexpr const char *more_key = "", *more_help = "", *number_key = "";
  static constexpr ParameterList parameters = {};
  static constexpr CoefficientKeys coefficient_keys = {};
  static constexpr bool takes_size = false;
  static constexpr bool has_boundary = false;

  static constexpr i64 extent(i64 n) { return n; }
  static constexpr bool fits(i64 n, i64 wanted) { return wanted == n; }
  template <class T>
  static constexpr Area reach(const Constants<T>&, int, Shape, const Area& area) {
    return area;
  }
};

/// An operator of one operand whose cells read a rectangle around their place.
struct Neighbourhood : Pointwise {
  static constexpr int operands = 1;
  static constexpr bool has_boundary = true;

  template <class T>
  static constexpr Area reach(const Constants<T>& k, int, Shape, const Area& area) {
    return {widened(area.rows, k.row_radius), widened(area.columns, k.column_radius)};
  }
};

/// True if a cell may be one sum of its neighbourhood.
template <class Op>
concept SumsTerms = requires(const Constants<float>& k) {
  Op::sums_terms(k);
};

/// True if the rows of neighbourhoods may be summed first.
template <class Op>
concept SumsRows = requires(const Constants<float>& k) {
  Op::sums_rows(k);
};

}  // namespace terrace::graph
