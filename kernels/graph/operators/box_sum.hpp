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
    T sum = row_sum(k, read, i - k.row_radius, j);
    for (i64 row = i - k.row_radius + 1; row <= i + k.row_radius; ++row) {
      sum = values::plus(sum, row_sum(k, read, row, j));
    }
    return sum;
  }

 private:
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T row_sum(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    T sum = read(0, i, j - k.column_radius);
    for (i64 column = j - k.column_radius + 1; column <= j + k.column_radius; ++column) {
      sum = values::plus(sum, read(0, i, column));
    }
    return sum;
  }
};

}  // namespace terrace::graph
