// Problems over intervals on CUDA, except products of whole tiles: tiles are closed in parts of part_side rows and
// columns. Parts at equal distance from the tile's lower left corner (on the diagonal: from the diagonal) are closed
// at a time, a thread block each, and their values are taken to all open parts: so most of the work is done by many
// thread blocks in parallel. Closing a part is explained in cpu/intervals/kernel.hpp.
#pragma once

#include "kernels/recursive/cuda/intervals/part.cuh"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

inline constexpr i32 part_depth =
    measured::CudaIntervals::part_depth;  // splits whose values are in shared memory at a time

/// The work of the parts kernel: from which splits, and to which parts.
enum class PartsOf : i32 {
  product,  // u * v to all
  square,   // values of the parts at distance `step` from the lower left corner, to the parts beyond
  diagonal  // of a tile on the diagonal: values of the parts at distance `step` from it
};

/// A thread's 4 x 4 values of a part, and their splits; threads lie in 16 rows and columns.
template <class R, class T>
struct PartValues {
  using S = typename R::Algebra;
  T values[4][4];
  i32 splits[4][4];

  static __device__ __forceinline__ i32 row() { return static_cast<i32>(threadIdx.x) / 16 * 4; }
  static __device__ __forceinline__ i32 column() { return static_cast<i32>(threadIdx.x) % 16 * 4; }

  /// act(i, j): the thread's values; i, j in [0, 4).
  template <class Do>
  static __device__ __forceinline__ void each(const Do& act) {
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
#pragma unroll
      for (i32 j = 0; j < 4; ++j) act(i, j);
    }
  }

  __device__ __forceinline__ void load(const TriangleTile<T>& tile, i32 i0, i32 j0) {
    each([&](i32 i, i32 j) {
      const i32 at = i0 + row() + i, to = j0 + column() + j;
      const bool there = at < tile.rows && to < tile.columns;
      values[i][j] = there ? tile.x[at * tile.x_stride + to] : S::template zero<T>();
      splits[i][j] = there && tile.split != nullptr ? tile.split[at * tile.split_stride + to] : last_split;
    });
  }
  __device__ __forceinline__ void store(const TriangleTile<T>& tile, i32 i0, i32 j0) const {
    each([&](i32 i, i32 j) {
      const i32 at = i0 + row() + i, to = j0 + column() + j;
      if (at >= tile.rows || to >= tile.columns) return;
      tile.x[at * tile.x_stride + to] = values[i][j];
      if (tile.split != nullptr) tile.split[at * tile.split_stride + to] = splits[i][j];
    });
  }

  /// Takes a value at split k, if it is better, or as good and k before the split so far.
  template <bool with_splits>
  __device__ __forceinline__ void take(i32 i, i32 j, T value, i32 k) {
    if constexpr (with_splits) {
      const bool taken = takes_place<S>(value, k, values[i][j], splits[i][j]);
      values[i][j] = taken ? value : values[i][j];
      splits[i][j] = taken ? k : splits[i][j];
    } else {
      values[i][j] = S::template plus<T>(values[i][j], value);
    }
  }
};

template <class T>
struct PartFactors {
  T left[part_side][part_depth + 1];
  T right[part_depth][part_side];
  T sizes[part_depth];  // of the splits' nodes, if the rule has weights
};

/// Takes `depth` splits to a part, u's first row and v's first column being the part's.
template <bool with_splits, class R, class T>
__device__ __forceinline__ void take_splits(const TriangleTile<T>& tile, PartFactors<T>& shared, const T* u,
                                            i64 u_stride, const T* v, i64 v_stride, i32 depth, i64 first_split,
                                            i32 i0, i32 j0, PartValues<R, T>& part) {
  T row_sizes[4], column_sizes[4];
#pragma unroll
  for (i32 n = 0; n < 4; ++n) {
    const i32 i = i0 + part.row() + n, j = j0 + part.column() + n;
    row_sizes[n] = R::weighted && i < tile.rows ? tile.terms.first[tile.row + i] : T(0);
    column_sizes[n] = R::weighted && j < tile.columns ? tile.terms.first[tile.column + j] : T(0);
  }
  for (i32 k0 = 0; k0 < depth; k0 += part_depth) {
    const i32 there = depth - k0 < part_depth ? depth - k0 : part_depth;
    __syncthreads();
    for (i32 at = static_cast<i32>(threadIdx.x); at < part_side * part_depth; at += part_threads) {
      const i32 i = at / part_depth, k = at % part_depth;
      if (k < there && i0 + i < tile.rows) shared.left[i][k] = u[i * u_stride + k0 + k];
      const i32 below = at / part_side, j = at % part_side;
      if (below < there && j0 + j < tile.columns) shared.right[below][j] = v[(k0 + below) * v_stride + j];
    }
    const i32 node = static_cast<i32>(threadIdx.x);
    if (R::weighted && node < there) shared.sizes[node] = tile.terms.first[first_split + k0 + node];
    __syncthreads();
    for (i32 k = 0; k < there; ++k) {
      const T size = R::weighted ? shared.sizes[k] : T(0);
      const i32 split = static_cast<i32>(first_split) + k0 + k;
      T left[4], right[4], weight[4];
#pragma unroll
      for (i32 n = 0; n < 4; ++n) {
        left[n] = shared.left[part.row() + n][k];
        right[n] = shared.right[k][part.column() + n];
        weight[n] = R::weighted ? static_cast<T>(row_sizes[n] * size) : T(0);
      }
      part.each([&](i32 i, i32 j) {
        part.template take<with_splits>(i, j, R::template split<T>(left[i], right[j], weight[i], column_sizes[j]),
                                        split);
      });
    }
  }
}

/// Takes to part (a, b) of the tile the values that `of` and `step` name.
template <bool with_splits, class R, class T>
__device__ __forceinline__ void take_to_part(const TriangleTile<T>& tile, PartFactors<T>& shared, PartsOf of,
                                             i32 step, i32 a, i32 b, PartValues<R, T>& part) {
  const i32 i0 = a * part_side, j0 = b * part_side;
  if (of == PartsOf::product) {
    take_splits<with_splits>(tile, shared, tile.u + i0 * tile.u_stride, tile.u_stride, tile.v + j0, tile.v_stride,
                             tile.depth, tile.first_split, i0, j0, part);
    return;
  }
  // The parts that became complete in x's column and row: those below by u, those on the left by v.
  const bool square = of == PartsOf::square;
  const i32 c = square ? tile.high() - 1 - step + b : a + step;
  if (c < tile.high() && (square || c < b)) {
    const i32 k0 = c * part_side;
    const i32 depth = tile.rows - k0 < part_side ? tile.rows - k0 : part_side;
    take_splits<with_splits>(tile, shared, tile.u + i0 * tile.u_stride + k0, tile.u_stride,
                             tile.x + k0 * tile.x_stride + j0, tile.x_stride, depth, tile.row + k0, i0, j0, part);
  }
  const i32 d = square ? step - (tile.high() - 1 - a) : b - step;
  if (d >= 0 && d < b && (square || d != c)) {
    const i32 k0 = d * part_side;
    take_splits<with_splits>(tile, shared, tile.x + i0 * tile.x_stride + k0, tile.x_stride,
                             tile.v + k0 * tile.v_stride + j0, tile.v_stride, part_side, tile.column + k0, i0, j0,
                             part);
  }
}

/// A thread block for each part of the tile, from left to right, row after row.
template <class R, class T>
__global__ void __launch_bounds__(part_threads, 2) parts_kernel(TriangleTile<T> tile, PartsOf of, i32 step) {
  if (tile.state->begun == 0) return;
  __shared__ PartFactors<T> shared;
  const i32 a = static_cast<i32>(blockIdx.x) / tile.wide(), b = static_cast<i32>(blockIdx.x) % tile.wide();
  const i32 from_bottom = tile.high() - 1 - a;
  // Skips parts that are closed, and parts to which nothing is taken yet.
  if (of == PartsOf::square && (from_bottom + b <= step || (from_bottom > step && b > step))) return;
  if (of == PartsOf::diagonal && (b - a <= step || b - a > 2 * step)) return;
  PartValues<R, T> part;
  part.load(tile, a * part_side, b * part_side);
  if (tile.split != nullptr) take_to_part<true>(tile, shared, of, step, a, b, part);
  else take_to_part<false>(tile, shared, of, step, a, b, part);
  part.store(tile, a * part_side, b * part_side);
}

/// Closes the parts at distance `step` from the lower left corner of a square (the tile's u and v are others), or
/// from the diagonal of a tile on it, a thread block each.
template <class R, class T>
__global__ void __launch_bounds__(part_threads) close_parts_kernel(TriangleTile<T> tile, PartsOf of, i32 step) {
  if (tile.state->begun == 0) return;
  const bool square = of == PartsOf::square;
  const i32 first = square && step >= tile.high() ? step - tile.high() + 1 : 0;
  const i32 number = first + static_cast<i32>(blockIdx.x);
  const i32 a = square ? tile.high() - 1 - step + number : number, b = square ? number : number + step;
  const bool triangle = !square && step == 0;
  if (tile.split != nullptr) ClosingPart<true, R, T>(tile, a, b, triangle).close();
  else ClosingPart<false, R, T>(tile, a, b, triangle).close();
}

}  // namespace terrace::recursive
