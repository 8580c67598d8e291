// An array of half the size.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

struct Downscale : Pointwise {
  static constexpr const char* name = "downscale";
  static constexpr const char* help =
      "half the rows and columns, rounded down: 0.25 times the sum of 2 x 2: top left, bottom left, top right, "
      "bottom "
      "right";
  static constexpr int operands = 1;

  static constexpr i64 extent(i64 n) { return n / 2; }
  static constexpr bool fits(i64 n, i64 wanted) { return wanted == extent(n); }
  template <class T>
  static constexpr Area reach(const Constants<T>&, int, Shape, const Area& area) {
    return {{2 * area.rows.begin, 2 * area.rows.end}, {2 * area.columns.begin, 2 * area.columns.end}};
  }
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>&, const Read& read, i64 i, i64 j) {
    using namespace values;
    const T left = plus(read(0, 2 * i, 2 * j), read(0, 2 * i + 1, 2 * j));
    return times(T{0.25}, plus(plus(left, read(0, 2 * i, 2 * j + 1)), read(0, 2 * i + 1, 2 * j + 1)));
  }
};

}  // namespace terrace::graph
