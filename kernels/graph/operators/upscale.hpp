// An array of twice the size, between whose values is interpolated.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// The value at row (i - 0.5) / 2 and column (j - 0.5) / 2, bilinear: with the fractions dy and dx,
/// t00*(1-dx)*(1-dy), then t10 (the next column), t01 (the next row) and t11 are added. A coordinate is split towards
/// zero: -0.25 is index 0 and fraction 0.25.
struct Upscale : Pointwise {
  static constexpr const char* name = "upscale";
  static constexpr const char* help =
      "twice the rows and columns, or those of `like`: bilinear at row (i - 0.5)/2 and column (j - 0.5)/2, split "
      "towards "
      "zero into an index and a fraction: -0.25 is 0 and 0.25";
  static constexpr int operands = 1;
  static constexpr bool has_boundary = true;
  static constexpr bool takes_size = true;

  static constexpr i64 extent(i64 n) { return 2 * n; }
  static constexpr bool fits(i64 n, i64 wanted) { return wanted / 2 == n; }
  template <class T>
  static constexpr Area reach(const Constants<T>&, int, Shape, const Area& area) {
    return {along(area.rows), along(area.columns)};
  }
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>&, const Read& read, i64 i, i64 j) {
    using namespace values;
    const i64 row = first(i), column = first(j);
    const T dy = fraction<T>(i), dx = fraction<T>(j), left = minus(T{1}, dx), above = minus(T{1}, dy);
    T sum = times(times(read(0, row, column), left), above);
    sum = plus(sum, times(times(read(0, row, column + 1), dx), above));
    sum = plus(sum, times(times(read(0, row + 1, column), left), dy));
    return plus(sum, times(times(read(0, row + 1, column + 1), dx), dy));
  }

 private:
  /// The integer part of (at - 0.5) / 2, towards zero, and the magnitude of the rest.
  TERRACE_HOST_DEVICE static constexpr i64 first(i64 at) { return at == 0 ? 0 : (at - 1) / 2; }
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T fraction(i64 at) {
    return at == 0 || at % 2 == 1 ? T{0.25} : T{0.75};
  }
  static constexpr Range along(Range range) { return {first(range.begin), first(range.end - 1) + 2}; }
};

}  // namespace terrace::graph
