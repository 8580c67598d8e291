// A level of a Gaussian pyramid at the size of the level before (Burt and Adelson, 1983).
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// Along an axis an even index 2k is a[k-1] + 6*a[k] + a[k+1], an odd one 4*a[k] + 4*a[k+1], over 8: 1 4 6 4 1 over
/// the values with zeros between them. Rows are summed first.
struct PyramidUp : Pointwise {
  static constexpr const char* name = "pyramid_up";
  static constexpr const char* help =
      "twice the rows and columns, or those of `like`: the weights 1 4 6 4 1 along both axes over the values with "
      "zeros "
      "between them, over 64";
  static constexpr int operands = 1;
  static constexpr bool has_boundary = true;
  static constexpr bool takes_size = true;

  static constexpr i64 extent(i64 n) { return 2 * n; }
  static constexpr bool fits(i64 n, i64 wanted) { return (wanted + 1) / 2 == n; }
  template <class T>
  static constexpr Area reach(const Constants<T>&, int, Shape, const Area& area) {
    return {along(area.rows), along(area.columns)};
  }
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>&, const Read& read, i64 i, i64 j) {
    const auto sum_of_row = [&](i64 row) { return weighted<T>(j, [&](i64 at) { return read(0, row, at); }); };
    return values::times(weighted<T>(i, sum_of_row), T{1} / 64);
  }

 private:
  static constexpr Range along(Range range) {
    return {range.begin % 2 == 0 ? range.begin / 2 - 1 : range.begin / 2, (range.end - 1) / 2 + 2};
  }
  template <class T, class At>
  TERRACE_HOST_DEVICE static T weighted(i64 index, const At& at) {
    using namespace values;
    const i64 k = index / 2;
    if (index % 2 != 0) return times(T{4}, plus(at(k), at(k + 1)));
    return plus(plus(at(k - 1), times(T{6}, at(k))), at(k + 1));
  }
};

}  // namespace terrace::graph
