// Problems over intervals for one instruction set. Included by files that define TERRACE_ISA, after
// cpu/product_kernel.hpp.
//
// Closing a tile off the diagonal (the function B of the paper, Ramachandran and Sivaraman 2017, section 7.1,
// corrected). Let x be the tile of rows I and columns J, I before J. Its values need the splits k between
// I and J, which are products of finished tiles, and those inside I and J:
//
//   k in I, k > i:  x(i, k) lies in the tile u on the diagonal in rows I, and x(k, j) in x itself;
//   k in J, k < j:  x(i, k) lies in x itself, and x(k, j) in the tile v on the diagonal in columns J.
//
// So x(i, j) <- min(x(i, j), u(i, k) + x(k, j) + w(i, k, j)) for k > i in I, and
//    x(i, j) <- min(x(i, j), x(i, k) + v(k, j) + w(i, k, j)) for k < j in J,
// and x(i, j) needs the values of x below it in its column and to the left of it in its row, complete. Rows from the
// last to the first, and columns from the first to the last in each, is such an order. The paper's figure 7.1 has
// u(i, k) + v(k, j) in both places: it reads no value of x, whose rows and columns u and v do not hold, so that a
// tile of infinities stays one; and its order, j = i - t for t = n - 1 .. 0, leaves out the half of the tile above
// its diagonal.
//
// Here a row takes the values of the rows below it, one row after another, and each of its values, once complete, is
// taken to the values on its right at once: both are loops over consecutive values.
#pragma once

#include "kernels/recursive/cpu/intervals/interval.hpp"
#include "kernels/recursive/cpu/product_kernel.hpp"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive::TERRACE_ISA {

/// Register blocks of products whose splits have weights.
template <class R, class T>
struct WeightedBlock {
  using Sizes = measured::CpuIntervals;
  typedef T Vector __attribute__((vector_size(vector_bytes)));
  static constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  static constexpr int vectors = Sizes::weighted_vectors, columns = lanes * vectors;
  static constexpr int rows = vector_bytes == 64 ? Sizes::avx512_weighted_rows : Sizes::weighted_rows;
  using S = typename R::Algebra;

  static Vector load(const T* at) {
    Vector vector;
    __builtin_memcpy(&vector, at, vector_bytes);
    return vector;
  }

  /// @param u for each split the rows' values, then their weights; @param last sizes of the columns' nodes
  static void multiply(i64 depth, const T* u, const T* v, const T* last, T* x, i64 stride) {
    Vector sum[rows][vectors], size[vectors];
    for (int j = 0; j < vectors; ++j) size[j] = load(last + j * lanes);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < vectors; ++j) sum[i][j] = load(x + i * stride + j * lanes);
    }
    for (i64 k = 0; k < depth; ++k, u += 2 * rows, v += columns) {
      Vector right[vectors];
      for (int j = 0; j < vectors; ++j) right[j] = load(v + j * lanes);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const Vector left = u[i] - Vector{}, weight = u[rows + i] - Vector{};
        for (int j = 0; j < vectors; ++j) {
          sum[i][j] = S::template plus<Vector>(sum[i][j], R::split(left, right[j], weight, size[j]));
        }
      }
    }
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < vectors; ++j) __builtin_memcpy(x + i * stride + j * lanes, &sum[i][j], vector_bytes);
    }
  }

  /// The same for a block that x holds only `there` x `width` elements of.
  static void multiply_part(i64 depth, const T* u, const T* v, const T* last, T* x, i64 stride, i64 there,
                            i64 width) {
    alignas(64) T part[rows * columns], sizes[columns] = {};
    for (T& value : part) value = S::template zero<T>();
    for (i64 j = 0; j < width; ++j) sizes[j] = last[j];
    for (i64 i = 0; i < there; ++i) {
      for (i64 j = 0; j < width; ++j) part[i * columns + j] = x[i * stride + j];
    }
    multiply(depth, u, v, sizes, part, columns);
    for (i64 i = 0; i < there; ++i) {
      for (i64 j = 0; j < width; ++j) x[i * stride + j] = part[i * columns + j];
    }
  }
};

/// Strips of a register block's rows: for each split their values, then their weights.
template <class R, class T>
void pack_weighted(const T* u, i64 stride, i64 rows, i64 depth, const T* row_sizes, const T* split_sizes, T* packed) {
  constexpr i64 high = WeightedBlock<R, T>::rows;
  for (i64 strip = 0; strip < rows; strip += high) {
    for (i64 k = 0; k < depth; ++k) {
      for (i64 i = strip; i < strip + high; ++i)
        *packed++ = i < rows ? u[i * stride + k] : R::Algebra::template zero<T>();
      for (i64 i = strip; i < strip + high; ++i) *packed++ = i < rows ? row_sizes[i] * split_sizes[k] : T(0);
    }
  }
}

/// Strips as wide as a register block, as pack_v() makes them.
template <class R, class T>
void multiply_weighted(const IntervalProduct<T>& task) {
  using B = WeightedBlock<R, T>;
  const Product<T>& p = task.product;
  static_assert(B::columns == Block<typename R::Algebra, T>::columns);
  for (i64 j0 = 0; j0 < p.columns; j0 += product_columns<T>) {
    const i64 columns = least_of(product_columns<T>, p.columns - j0);
    for (i64 k0 = 0; k0 < p.depth; k0 += product_depth) {
      const i64 depth = least_of(product_depth, p.depth - k0);
      pack_v<typename R::Algebra>(p.v + k0 * p.v_stride + j0, p.v_stride, depth, columns, p.packed_v);
      for (i64 i0 = 0; i0 < p.rows; i0 += product_rows) {
        const i64 rows = least_of(product_rows, p.rows - i0);
        pack_weighted<R>(p.u + i0 * p.u_stride + k0, p.u_stride, rows, depth, task.row_sizes + i0,
                         task.split_sizes + k0, p.packed_u);
        for (i64 j = 0; j < columns; j += B::columns) {
          for (i64 i = 0; i < rows; i += B::rows) {
            T* x = p.x + (i0 + i) * p.x_stride + j0 + j;
            const T *u = p.packed_u + 2 * i * depth, *v = p.packed_v + j * depth, *last = task.column_sizes + j0 + j;
            if (i + B::rows <= rows && j + B::columns <= columns) B::multiply(depth, u, v, last, x, p.x_stride);
            else
              B::multiply_part(depth, u, v, last, x, p.x_stride, least_of(B::rows, rows - i),
                               least_of(B::columns, columns - j));
          }
        }
      }
    }
  }
}

template <class R, class T>
void multiply_values(const IntervalProduct<T>& task) {
  if constexpr (R::weighted) multiply_weighted<R>(task);
  else multiply<typename R::Algebra>(task.product);
}

/// The value of one split, as the products compute it.
template <class R, class T>
T value_of_split(T left, T right, T row_size, T split_size, T column_size) {
  return R::template split<T>(left, right, static_cast<T>(row_size * split_size), column_size);
}

/// The part of a product at rows i0.., columns j0.. and splits k0...
template <class T>
IntervalProduct<T> part_of(const IntervalProduct<T>& task, i64 i0, i64 rows, i64 j0, i64 columns, i64 k0, i64 depth) {
  IntervalProduct<T> part = task;
  Product<T>& p = part.product;
  p.rows = rows;
  p.columns = columns;
  p.depth = depth;
  p.u += i0 * p.u_stride + k0;
  p.v += k0 * p.v_stride + j0;
  p.x += i0 * p.x_stride + j0;
  if (task.row_sizes != nullptr) {
    part.row_sizes += i0;
    part.split_sizes += k0;
    part.column_sizes += j0;
  }
  if (task.split != nullptr) part.split += i0 * task.split_stride + j0;
  part.first_split += k0;
  return part;
}

/// Takes the values of one depth of splits into x where they take its place. @param found where in the product's
/// depth those begin that a value was taken from
template <class R, class T>
void take_part(const IntervalProduct<T>& task, const T* part, i32 first, i32 at, i32* found) {
  const Product<T>& p = task.product;
  for (i64 i = 0; i < p.rows; ++i) {
    T* x = p.x + i * p.x_stride;
    i32* split = task.split + i * task.split_stride;
    const T* values = part + i * split_columns;
    i32* places = found + i * split_columns;
    for (i64 j = 0; j < p.columns; ++j) {
      const bool taken = takes_place<typename R::Algebra>(values[j], first, x[j], split[j]);
      x[j] = taken ? values[j] : x[j];
      split[j] = taken ? first : split[j];
      places[j] = taken ? at : places[j];
    }
  }
}

/// Looks for the first split that gives a value, among the splits of its step of depth.
template <class R, class T>
void find_splits(const IntervalProduct<T>& task, const i32* found) {
  const Product<T>& p = task.product;
  for (i64 i = 0; i < p.rows; ++i) {
    for (i64 j = 0; j < p.columns; ++j) {
      const i32 begin = found[i * split_columns + j];
      if (begin < 0) continue;
      const T value = p.x[i * p.x_stride + j];
      const auto gives = [&](i64 k) {
        const T left = p.u[i * p.u_stride + k], right = p.v[k * p.v_stride + j];
        if constexpr (R::weighted) {
          return value_of_split<R>(left, right, task.row_sizes[i], task.split_sizes[k], task.column_sizes[j]) ==
                 value;
        } else {
          return value_of_split<R>(left, right, T(0), T(0), T(0)) == value;
        }
      };
      i64 k = begin;
      const i64 end = least_of(p.depth, begin + split_depth);
      while (k + 1 < end && !gives(k)) ++k;
      task.split[i * task.split_stride + j] = static_cast<i32>(task.first_split + k);
    }
  }
}

template <class R, class T>
void multiply_intervals(const IntervalProduct<T>& task) {
  if (task.split == nullptr) return multiply_values<R>(task);
  const Product<T>& whole = task.product;
  for (i64 i0 = 0; i0 < whole.rows; i0 += split_rows) {
    const i64 rows = least_of(split_rows, whole.rows - i0);
    for (i64 j0 = 0; j0 < whole.columns; j0 += split_columns) {
      const i64 columns = least_of(split_columns, whole.columns - j0);
      for (i64 n = 0; n < split_part; ++n) task.found[n] = -1;
      for (i64 k0 = 0; k0 < whole.depth; k0 += split_depth) {
        const i64 depth = least_of(split_depth, whole.depth - k0);
        for (i64 n = 0; n < split_part; ++n) task.part[n] = R::Algebra::template zero<T>();
        const IntervalProduct<T> at = part_of(task, i0, rows, j0, columns, k0, depth);
        IntervalProduct<T> values = at;
        values.product.x = task.part;
        values.product.x_stride = split_columns;
        multiply_values<R>(values);
        take_part<R>(at, task.part, static_cast<i32>(at.first_split), static_cast<i32>(k0), task.found);
      }
      find_splits<R>(part_of(task, i0, rows, j0, columns, 0, whole.depth), task.found);
    }
  }
}

/// Values of a row take values of another row, by one split. @param weight of the split and the row; 0 if the rule
/// has none
template <class R, class T>
void take_row(T left, const T* right, T weight, const T* sizes, i32 k, T* x, i32* split, i64 begin, i64 end) {
  using S = typename R::Algebra;
  if (split == nullptr) {
    for (i64 j = begin; j < end; ++j) {
      x[j] = S::template plus<T>(x[j], R::template split<T>(left, right[j], weight, sizes[j]));
    }
  } else {
    for (i64 j = begin; j < end; ++j) {
      const T value = R::template split<T>(left, right[j], weight, sizes[j]);
      const bool taken = takes_place<S>(value, k, x[j], split[j]);
      x[j] = taken ? value : x[j];
      split[j] = taken ? k : split[j];
    }
  }
}

/// x(i + 1, j - 1).
template <class T>
T inner_value(const ClosedPart<T>& part, i64 i, i64 j) {
  if (i + 1 < part.rows) {
    return j > 0 ? part.x[(i + 1) * part.x_stride + j - 1] : part.beside[(i + 1) * part.beside_stride];
  }
  return j > 0 ? part.under[j - 1] : *part.corner;
}

template <class R, class T>
void complete(const ClosedPart<T>& part, i64 i, i64 j) {
  const i64 from = part.row + i, to = part.column + j;
  T& x = part.x[i * part.x_stride + j];
  i32* split = part.split == nullptr ? nullptr : part.split + i * part.split_stride + j;
  if (to == from + 1) {
    x = R::leaf(part.terms, from);
    if (split != nullptr) *split = no_split;
    return;
  }
  if constexpr (R::looks_inside) {
    if (!R::pairs(part.terms, from, to)) return;
    const T inner = inner_value(part, i, j);
    if (split != nullptr && inner + 1 >= x) *split = static_cast<i32>(from);
    x = R::whole(x, inner, part.terms, from, to);
  } else {
    x = R::whole(x, T(0), part.terms, from, to);
  }
}

template <class R, class T>
void close_part(const ClosedPart<T>& part) {
  const bool diagonal = part.u == nullptr;
  const T* v = diagonal ? part.x : part.v;
  const i64 v_stride = diagonal ? part.x_stride : part.v_stride;
  const T* sizes = part.terms.first + part.column;
  for (i64 i = part.rows - 1; i >= 0; --i) {
    T* x = part.x + i * part.x_stride;
    i32* split = part.split == nullptr ? nullptr : part.split + i * part.split_stride;
    const T row_size = part.terms.first[part.row + i];
    const i64 first = diagonal ? i + 1 : 0;
    if (diagonal) {
      for (i64 j = 0; j <= i; ++j) {
        x[j] = T(0);
        if (split != nullptr) split[j] = no_split;
      }
    } else {
      for (i64 k = i + 1; k < part.rows; ++k) {
        const T weight = R::weighted ? static_cast<T>(row_size * part.terms.first[part.row + k]) : T(0);
        take_row<R>(part.u[i * part.u_stride + k], part.x + k * part.x_stride, weight, sizes,
                    static_cast<i32>(part.row + k), x, split, 0, part.columns);
      }
    }
    for (i64 j = first; j < part.columns; ++j) {
      complete<R>(part, i, j);
      const T weight = R::weighted ? static_cast<T>(row_size * sizes[j]) : T(0);
      take_row<R>(x[j], v + j * v_stride, weight, sizes, static_cast<i32>(part.column + j), x, split, j + 1,
                  part.columns);
    }
  }
}

template <class R, class T>
constexpr IntervalKernels<T> interval_kernels_of() {
  if constexpr (R::template has<T>)
    return {multiply_intervals<R, T>, close_part<R, T>, R::Algebra::template zero<T>()};
  else return {};
}

IntervalKernelSet interval_kernels(int rule) {
  IntervalKernelSet kernels{};
  Rules::visit(rule, [&]<class R>(R) {
    kernels = {interval_kernels_of<R, double>(), interval_kernels_of<R, i16>(), interval_kernels_of<R, i32>(),
               interval_kernels_of<R, i64>()};
  });
  return kernels;
}

}  // namespace terrace::recursive::TERRACE_ISA
