// Sums of a neighbourhood with coefficients: a correlation.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// Terms are added from the top left on, row by row. With coefficients of the rows and of the columns each row is
/// summed first: t = c[0]*x[0] + c[1]*x[1] + ..., then r[0]*t[0] + r[1]*t[1] + ...
struct Stencil : Neighbourhood {
  static constexpr const char* name = "stencil";
  static constexpr const char* help =
      "the neighbourhood times `coefficients`, added up row by row; with `rows` and `columns` each row is summed "
      "first";
  static constexpr Parameter declared[] = {
      {"coefficients", ParameterKind::items,
       "the coefficients of a `stencil`, a list for each row: odd numbers of rows and of columns, at most 33", "[]",
       nullptr, 0, 2 * most_radius + 1},
      {"coefficients[]", ParameterKind::numbers, "the coefficients of a row"},
      {"rows", ParameterKind::numbers, "the coefficients of the rows of a `stencil` whose coefficients are products",
       ""},
      {"columns", ParameterKind::numbers, "the coefficients of the columns of such a `stencil`", ""}};
  static constexpr ParameterList parameters = list_of(declared);

  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    return k.is_separable ? separable_cell(k, read, i, j) : dense_cell(k, read, i, j);
  }

 private:
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T row_sum(const Constants<T>& k, const T* coefficients, const Read& read, i64 i, i64 j) {
    T sum = values::times(coefficients[0], read(0, i, j - k.column_radius));
    for (i64 at = 1; at <= 2 * k.column_radius; ++at) {
      sum = values::plus(sum, values::times(coefficients[at], read(0, i, j - k.column_radius + at)));
    }
    return sum;
  }
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T separable_cell(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    const T* columns = k.numbers + 2 * k.row_radius + 1;
    T sum = values::times(k.numbers[0], row_sum(k, columns, read, i - k.row_radius, j));
    for (i64 at = 1; at <= 2 * k.row_radius; ++at) {
      sum = values::plus(sum, values::times(k.numbers[at], row_sum(k, columns, read, i - k.row_radius + at, j)));
    }
    return sum;
  }
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T dense_cell(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    const i64 width = 2 * k.column_radius + 1, count = (2 * k.row_radius + 1) * width;
    T sum = values::times(k.numbers[0], read(0, i - k.row_radius, j - k.column_radius));
    for (i64 at = 1; at < count; ++at) {
      const T value = read(0, i - k.row_radius + at / width, j - k.column_radius + at % width);
      sum = values::plus(sum, values::times(k.numbers[at], value));
    }
    return sum;
  }
};

}  // namespace terrace::graph
