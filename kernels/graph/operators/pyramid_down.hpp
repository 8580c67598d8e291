// The next level of a Gaussian pyramid (Burt and Adelson, 1983).
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// Each of five rows is summed with weights 1 4 6 4 1, then the sums of the rows with these weights.
struct PyramidDown : Pointwise {
  static constexpr const char* name = "pyramid_down";
  static constexpr const char* help =
      "half the rows and columns, rounded up: 5 x 5 values around every second one, weighted 1 4 6 4 1 along both "
      "axes, "
      "over 256";
  static constexpr int operands = 1;
  static constexpr bool has_boundary = true;

  static constexpr i64 extent(i64 n) { return (n + 1) / 2; }
  static constexpr bool fits(i64 n, i64 wanted) { return wanted == extent(n); }
  template <class T>
  static constexpr Area reach(const Constants<T>&, int, Shape, const Area& area) {
    return {along(area.rows), along(area.columns)};
  }
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>&, const Read& read, i64 i, i64 j) {
    const auto sum_of_row = [&](i64 row) { return weighted<T>([&](i64 at) { return read(0, row, 2 * j + at); }); };
    return values::times(weighted<T>([&](i64 at) { return sum_of_row(2 * i + at); }), T{1} / 256);
  }

 private:
  static constexpr Range along(Range range) { return {2 * range.begin - 2, 2 * range.end + 1}; }
  template <class T, class At>
  TERRACE_HOST_DEVICE static T weighted(const At& at) {
    using namespace values;
    const T first = plus(plus(at(-2), times(T{4}, at(-1))), times(T{6}, at(0)));
    return plus(plus(first, times(T{4}, at(1))), at(2));
  }
};

}  // namespace terrace::graph
