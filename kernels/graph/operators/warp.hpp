// An array seen through displacements.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// The value at row i + v and column j + u, bilinear: with the fractions dy and dx, t00*(1-dx)*(1-dy), then t10 (the
/// next column), t01 (the next row) and t11 are added. A coordinate is clamped to [1 - n, 2n - 2] and split towards
/// zero, and an index outside is mirrored: -1 is 0, n is n - 1; the other index is the one so found plus 1, mirrored
/// again. That is so with every boundary. Where a displacement
/// is NaN the value is, and nothing is read.
struct Warp : Pointwise {
  static constexpr const char* name = "warp";
  static constexpr const char* help =
      "the value at row i + v and column j + u, of an array `by` [u, v], bilinear: a coordinate is clamped to "
      "[1 - n, 2*n - 2], split towards zero into an index and a fraction, and the index mirrored, -1 to 0 and n to "
      "n - 1; the other index is the one so found plus 1, mirrored again; where a displacement is NaN, NaN";
  static constexpr int operands = 1;
  static constexpr int more = 2;
  static constexpr const char* more_key = "by";
  static constexpr const char* more_help = "the displacements of `warp` in pixels: along columns, then along rows";

  template <class T>
  static constexpr Area reach(const Constants<T>&, int operand, Shape shape, const Area& area) {
    return operand == 0 ? Area{{0, shape.rows}, {0, shape.columns}} : area;
  }
  /// `read.shape()` is that of the operands.
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>&, const Read& read, i64 i, i64 j) {
    using namespace values;
    const Shape shape = read.shape();
    const T down = read(2, i, j), across = read(1, i, j);
    if (down != down) return down;
    if (across != across) return across;
    const Split<T> y = split(plus(T(i), down), shape.rows), x = split(plus(T(j), across), shape.columns);
    const T left = minus(T{1}, x.fraction), above = minus(T{1}, y.fraction);
    T sum = times(times(read(0, y.first, x.first), left), above);
    sum = plus(sum, times(times(read(0, y.first, x.second), x.fraction), above));
    sum = plus(sum, times(times(read(0, y.second, x.first), left), y.fraction));
    return plus(sum, times(times(read(0, y.second, x.second), x.fraction), y.fraction));
  }

 private:
  template <class T>
  struct Split {
    i64 first, second;
    T fraction;
  };
  TERRACE_HOST_DEVICE static constexpr i64 mirrored(i64 k, i64 n) {
    return k < 0 ? -k - 1 : k >= n ? 2 * n - 1 - k : k;
  }
  template <class T>
  TERRACE_HOST_DEVICE static Split<T> split(T at, i64 n) {
    at = values::smaller(values::larger(T(1 - n), at), T(2 * n - 2));
    const auto whole = static_cast<i64>(at);
    const i64 first = mirrored(whole, n);
    return {first, mirrored(first + 1, n), values::magnitude(values::minus(at, T(whole)))};
  }
};

}  // namespace terrace::graph
