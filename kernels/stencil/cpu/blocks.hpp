// The work of the fast kernels: cells of a few neighbouring rows at once, which share what they load.
#pragma once

#include "kernels/stencil/cpu/rows.hpp"

namespace terrace::stencil {

/// Rows of a block: neighbours along axis 0 in grids of two dimensions, along axis 1 in grids of three.
inline constexpr int most_block_rows = 4;

/// A block of rows. All of its cells lie further than the radius from the faces of the last axis. Pointers to rows
/// are to the value at index 0, which need not be there.
template <class T>
struct BlockWork {
  /// Rows of the step before: of each field, of each of 2 * radius + 1 rows along axis 0 (grids of three dimensions
  /// alone), the rows of the block with `radius` rows before and after.
  const T* const* around;
  T* const* made;          // of each field, the rows of the block
  const T* const* arrays;  // of each constant array, the rows of the block
  i64 begin, end;          // indices of the cells to make: at least a pack
  const Additions<T>* additions;
  const void* constants;  // of the formula; of a sum over offsets LinearSum::Constants<T>
};

template <class T>
using MakeBlock = void (*)(const BlockWork<T>& work);

/// The kernels of a formula or a pattern of offsets for blocks of 1, 2 and 4 rows; null if there is none.
template <class T>
struct BlockKernelsOf {
  MakeBlock<T> rows_1, rows_2, rows_4;
  i64 lanes;  // of a pack
};
struct BlockKernels {
  BlockKernelsOf<float> f32;
  BlockKernelsOf<double> f64;
};

/// A sum over the offsets of a star or box whose radius the compiler knows.
template <int rank_, Shape shape, int radius_>
struct PatternSum {
  static constexpr int rank = rank_, fields = 1, radius = radius_;
  static constexpr bool is_product = false;

  TERRACE_HOST_DEVICE static constexpr bool has(int d0, int d1, int d2) {
    return shape == Shape::box || (d0 != 0) + (d1 != 0) + (d2 != 0) <= 1;
  }
  static constexpr int terms() {
    int count = 0;
    for (int d0 = -radius; d0 <= radius; ++d0) {
      for (int d1 = -middle; d1 <= middle; ++d1) {
        for (int d2 = -radius; d2 <= radius; ++d2) count += has(d0, d1, d2);
      }
    }
    return count;
  }

  template <class T>
  struct Constants {
    T coefficients[terms()];
  };
  /// True if the terms of a sum are those of the pattern, in its order, with numbers as coefficients.
  template <class T>
  static bool fits(const Terms<T>& given, int rank_of_grid) {
    if (rank_of_grid != rank || given.count != terms()) return false;
    int i = 0;
    for (int d0 = -radius; d0 <= radius; ++d0) {
      for (int d1 = -middle; d1 <= middle; ++d1) {
        for (int d2 = -radius; d2 <= radius; ++d2) {
          if (!has(d0, d1, d2)) continue;
          const Term<T>& term = given.list[i++];
          if (term.array >= 0 || term.offset[0] != d0 || term.offset[1] != d1 || term.offset[2] != d2) return false;
        }
      }
    }
    return true;
  }
  template <class T>
  TERRACE_HOST_DEVICE static Constants<T> local(const void* constants) {
    const Terms<T>& terms_given = static_cast<const LinearSum::Constants<T>*>(constants)->terms;
    Constants<T> made;
    for (int i = 0; i < terms(); ++i) made.coefficients[i] = terms_given.list[i].coefficient;
    return made;
  }
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static void cell(const Constants<T>& k, const At& at, V (&made)[1]) {
    V sum{};
    int i = 0;
#pragma GCC unroll 16
    for (int d0 = -radius; d0 <= radius; ++d0) {
#pragma GCC unroll 16
      for (int d1 = -middle; d1 <= middle; ++d1) {
#pragma GCC unroll 16
        for (int d2 = -radius; d2 <= radius; ++d2) {
          if (!has(d0, d1, d2)) continue;
          const V factor(k.coefficients[i]);
          sum = i == 0 ? times(factor, V(at(0, d0, d1, d2))) : fused(factor, V(at(0, d0, d1, d2)), sum);
          ++i;
        }
      }
    }
    made[0] = sum;
  }

 private:
  static constexpr int middle = rank == 3 ? radius : 0;
};

/// A separable sum over a box in two dimensions whose radius the compiler knows: it finds that the rows of a block
/// share sums of rows.
template <int radius_>
struct PatternProduct {
  static constexpr int rank = 2, fields = 1, radius = radius_, span = 2 * radius + 1;
  static constexpr bool is_product = true;

  template <class T>
  struct Constants {
    T row[span], column[span];
  };
  /// True if the terms are those of a separable sum of the radius.
  template <class T>
  static bool fits(const Terms<T>& given, int) {
    return given.count == 2 * span;
  }
  template <class T>
  TERRACE_HOST_DEVICE static Constants<T> local(const void* constants) {
    const Terms<T>& terms = static_cast<const SeparableSum::Constants<T>*>(constants)->terms;
    Constants<T> made;
    for (int i = 0; i < span; ++i) {
      made.row[i] = terms.list[i].coefficient;
      made.column[i] = terms.list[span + i].coefficient;
    }
    return made;
  }
  /// The sum of the row `d0` below the block's first one.
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static V along(const Constants<T>& k, const At& at, int d0) {
    V sum{};
#pragma GCC unroll 16
    for (int j = 0; j < span; ++j) {
      const V coefficient(k.row[j]), value(at(0, d0, 0, j - radius));
      sum = j == 0 ? times(coefficient, value) : fused(coefficient, value, sum);
    }
    return sum;
  }
  /// The sum of a column of sums of rows.
  template <class V, class T>
  TERRACE_HOST_DEVICE static V down(const Constants<T>& k, const V* sums) {
    V sum{};
#pragma GCC unroll 16
    for (int i = 0; i < span; ++i) {
      const V coefficient(k.column[i]);
      sum = i == 0 ? times(coefficient, sums[i]) : fused(coefficient, sums[i], sum);
    }
    return sum;
  }
};

/// The patterns with kernels of their own.
template <int radius>
using Star2 = PatternSum<2, Shape::star, radius>;
template <int radius>
using Box2 = PatternSum<2, Shape::box, radius>;
using Patterns =
    TypeList<Star2<1>, Star2<2>, Star2<3>, Star2<4>, Box2<1>, Box2<2>, PatternSum<3, Shape::star, 1>,
             PatternSum<3, Shape::star, 2>, PatternSum<3, Shape::box, 1>, PatternProduct<1>, PatternProduct<2>>;

// The kernels of the formula of that number in Formulas, or of the pattern of that number in Patterns; -1: none.
namespace sse2 {
BlockKernels block_kernels(int formula, int pattern);
}
namespace avx2 {
BlockKernels block_kernels(int formula, int pattern);
}
namespace avx512 {
BlockKernels block_kernels(int formula, int pattern);
}

}  // namespace terrace::stencil
