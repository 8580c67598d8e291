// The sum of a square around each cell.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// Each row is summed from left to right, then the sums of the rows from top to bottom.
struct BoxSum : Neighbourhood {
  static constexpr const char* name = "box_sum";
  static constexpr const char* help =
      "the sum of the square of 2*radius + 1 rows: each row first, then the sums of the rows";
  static constexpr Parameter declared[] = {{"radius", ParameterKind::integer,
                                            "the radius of `box_sum`; left out: 1, which is 3 x 3", "1", nullptr, 1,
                                            most_radius}};
  static constexpr ParameterList parameters = list_of(declared);

  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    return sum_of_rows(k, [&](i64 a) { return row_sum(k, read, i - k.row_radius + a, j); });
  }

  template <class T>
  TERRACE_HOST_DEVICE static constexpr bool sums_rows(const Constants<T>&) {
    return true;
  }
  template <class T>
  static constexpr const T* row_factors(const Constants<T>&) {
    return nullptr;
  }
  template <class T>
  static constexpr const T* column_factors(const Constants<T>&) {
    return nullptr;
  }
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T row_sum(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    T sum = read(0, i, j - k.column_radius);
    for (i64 b = 1; b <= 2 * k.column_radius; ++b) sum = values::plus(sum, read(0, i, j - k.column_radius + b));
    return sum;
  }
  template <class T, class At>
  TERRACE_HOST_DEVICE static T sum_of_rows(const Constants<T>& k, const At& at) {
    T sum = at(0);
    for (i64 a = 1; a <= 2 * k.row_radius; ++a) sum = values::plus(sum, at(a));
    return sum;
  }
};

}  // namespace terrace::graph
