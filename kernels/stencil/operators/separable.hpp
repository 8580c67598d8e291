// A sum over a box in two dimensions whose coefficients are products, as sums of rows and then of columns.
#pragma once

#include "kernels/stencil/operators/terms.hpp"

namespace terrace::stencil {

/// With coefficients c[i][j] = a[i] * b[j]: the sums of the rows around a cell, h[i] = b[1]*x[i][1], then
/// h[i] = fma(b[j], x[i][j], h[i]); then s = a[1]*h[1] and s = fma(a[i], h[i], s). Its terms are those of a row, then
/// as many of a column (separable.hpp).
struct SeparableSum : SumOfTerms {
  static constexpr bool is_separable = true;

  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static void cell(const Constants<T>& k, const At& at, V (&made)[fields]) {
    const i32 span = k.terms.count / 2;
    const Term<T>*row = k.terms.list, *column = row + span;
    V sum{};
    for (i32 i = 0; i < span; ++i) {
      V along{};
      for (i32 j = 0; j < span; ++j) {
        const V value = at(0, column[i].offset[0], 0, row[j].offset[2]), coefficient(row[j].coefficient);
        along = j == 0 ? times(coefficient, value) : fused(coefficient, value, along);
      }
      const V coefficient(column[i].coefficient);
      sum = i == 0 ? times(coefficient, along) : fused(coefficient, along, sum);
    }
    made[0] = sum;
  }
};

}  // namespace terrace::stencil
