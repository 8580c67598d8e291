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
  static constexpr CoefficientKeys coefficient_keys = {"coefficients", "rows", "columns"};

  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    if (!k.is_separable) return dense_cell(k, read, i, j);
    return sum_of_rows(k, [&](i64 a) { return row_sum(k, read, i - k.row_radius + a, j); });
  }

  template <class T>
  TERRACE_HOST_DEVICE static constexpr bool sums_terms(const Constants<T>& k) {
    return !k.is_separable;
  }
  template <class T>
  TERRACE_HOST_DEVICE static constexpr bool sums_rows(const Constants<T>& k) {
    return k.is_separable;
  }
  template <class T>
  static constexpr const T* row_factors(const Constants<T>& k) {
    return k.numbers;
  }
  template <class T>
  static constexpr const T* column_factors(const Constants<T>& k) {
    return k.numbers + 2 * k.row_radius + 1;
  }
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T row_sum(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    const T* columns = k.numbers + 2 * k.row_radius + 1;
    T sum = values::times(columns[0], read(0, i, j - k.column_radius));
    for (i64 b = 1; b <= 2 * k.column_radius; ++b) {
      sum = values::plus(sum, values::times(columns[b], read(0, i, j - k.column_radius + b)));
    }
    return sum;
  }
  template <class T, class At>
  TERRACE_HOST_DEVICE static T sum_of_rows(const Constants<T>& k, const At& at) {
    T sum = values::times(k.numbers[0], at(0));
    for (i64 a = 1; a <= 2 * k.row_radius; ++a) sum = values::plus(sum, values::times(k.numbers[a], at(a)));
    return sum;
  }

 private:
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T dense_cell(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    const i64 height = 2 * k.row_radius + 1, width = 2 * k.column_radius + 1;
    const auto term = [&](i64 a, i64 b) {
      return values::times(k.numbers[a * width + b], read(0, i - k.row_radius + a, j - k.column_radius + b));
    };
    T sum = term(0, 0);
    for (i64 b = 1; b < width; ++b) sum = values::plus(sum, term(0, b));
    for (i64 a = 1; a < height; ++a) {
      for (i64 b = 0; b < width; ++b) sum = values::plus(sum, term(a, b));
    }
    return sum;
  }
};

}  // namespace terrace::graph
