// Closing a part of a tile over intervals on CUDA, by one thread block: the part lies in shared memory, cut into
// pieces of piece_side rows and columns. Pieces as far from the lower left corner (of a part on the table's diagonal:
// from the diagonal) are closed at a time, a warp each: it takes all splits outside of its own rows and columns
// first, whose parts are complete, and then completes its values, those as far from its corner at a time. How a tile
// is closed is told in cpu/intervals/kernel.hpp.
#pragma once

#include "kernels/recursive/cuda/intervals/tile.cuh"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

inline constexpr i32 part_threads =
    measured::CudaIntervals::part_threads;  // as many warps as pieces lie beside one another
inline constexpr i32 piece_side = measured::CudaIntervals::piece_side;

/// A part, and the parts on the diagonal in its rows and its columns.
template <class T>
struct PartInShared {
  T x[part_side][part_side + 1];  // values are complete once their piece is
  T u[part_side][part_side + 1];
  T v[part_side][part_side + 1];
  i32 splits[part_side][part_side + 1];
  T row_sizes[part_side], column_sizes[part_side];  // of nodes, if the rule has weights
};

template <bool with_splits, class R, class T>
class ClosingPart {
  using S = typename R::Algebra;
  using Shared = PartInShared<T>;
  using Rows = T[part_side][part_side + 1];

 public:
  /// Part (a, b) of a tile. @param triangle true if it lies on the diagonal of the table
  __device__ __forceinline__ ClosingPart(const TriangleTile<T>& tile, i32 a, i32 b, bool triangle)
      : tile_(tile),
        shared_(*reinterpret_cast<Shared*>(device::launch_shared_memory())),
        i0_(a * part_side),
        j0_(b * part_side),
        rows_(tile.rows - i0_ < part_side ? tile.rows - i0_ : part_side),
        columns_(tile.columns - j0_ < part_side ? tile.columns - j0_ : part_side),
        triangle_(triangle) {}

  __device__ __forceinline__ void close() {
    constexpr i32 across = part_side / piece_side;
    load();
    const i32 warp = static_cast<i32>(threadIdx.x) / 32;
    for (i32 distance = 0; distance < (triangle_ ? across : 2 * across - 1); ++distance) {
      const i32 p = triangle_ ? warp : across - 1 - (distance - warp), q = triangle_ ? warp + distance : warp;
      const bool there = p >= 0 && p < across && q < across && p * piece_side < rows_ && q * piece_side < columns_;
      if (there) close_piece(p * piece_side, q * piece_side);
      __syncthreads();
    }
    store();
  }

 private:
  /// A value that a thread completes; it has two, in one column.
  struct Value {
    i32 i;  // row in the part
    bool there;
    bool pairs;  // if the rule looks inside: true if the items at its ends pair
    T value, row_size;
    i32 split;
  };

  __device__ __forceinline__ void load() {
    for (i32 at = static_cast<i32>(threadIdx.x); at < part_side * part_side; at += part_threads) {
      const i32 i = at / part_side, j = at % part_side;
      if (i < rows_ && j < columns_) {
        const bool nothing = triangle_ && i == j;  // which is worth nothing
        shared_.x[i][j] = nothing ? T(0) : tile_.x[(i0_ + i) * tile_.x_stride + j0_ + j];
        if constexpr (with_splits) shared_.splits[i][j] = tile_.split[(i0_ + i) * tile_.split_stride + j0_ + j];
      }
      if (triangle_) continue;
      if (i < rows_ && j < rows_) shared_.u[i][j] = tile_.u[(i0_ + i) * tile_.u_stride + i0_ + j];
      if (i < columns_ && j < columns_) shared_.v[i][j] = tile_.v[(j0_ + i) * tile_.v_stride + j0_ + j];
    }
    const i32 node = static_cast<i32>(threadIdx.x);
    if (R::weighted && node < part_side) {
      if (node < rows_) shared_.row_sizes[node] = tile_.terms.first[tile_.row + i0_ + node];
      if (node < columns_) shared_.column_sizes[node] = tile_.terms.first[tile_.column + j0_ + node];
    }
    __syncthreads();
  }

  __device__ __forceinline__ void store() const {
    for (i32 at = static_cast<i32>(threadIdx.x); at < part_side * part_side; at += part_threads) {
      const i32 i = at / part_side, j = at % part_side;
      if (i >= rows_ || j >= columns_) continue;
      const bool below = triangle_ && i >= j;
      tile_.x[(i0_ + i) * tile_.x_stride + j0_ + j] = below ? T(0) : shared_.x[i][j];
      if constexpr (with_splits) {
        tile_.split[(i0_ + i) * tile_.split_stride + j0_ + j] = below ? no_split : shared_.splits[i][j];
      }
    }
  }

  /// The piece from row i1 and column j1 of the part.
  __device__ __forceinline__ void close_piece(i32 i1, i32 j1) {
    const i32 lane = static_cast<i32>(threadIdx.x) % 32, j = j1 + lane % piece_side;
    const bool column_there = j < columns_;
    const T column_size = R::weighted && column_there ? shared_.column_sizes[j] : T(0);
    Value values[2];
#pragma unroll
    for (i32 e = 0; e < 2; ++e) {
      Value& x = values[e];
      x.i = i1 + lane / piece_side + e * (piece_side / 2);
      x.there = column_there && x.i < rows_ && (!triangle_ || x.i < j);
      x.value = x.there ? shared_.x[x.i][j] : S::template zero<T>();
      x.split = with_splits && x.there ? shared_.splits[x.i][j] : last_split;
      x.row_size = R::weighted && x.i < rows_ ? shared_.row_sizes[x.i] : T(0);
      x.pairs = false;
      if constexpr (R::looks_inside) {
        const i64 from = tile_.row + i0_ + x.i, to = tile_.column + j0_ + j;
        x.pairs = x.there && to > from + 1 && R::pairs(tile_.terms, from, to);
      }
    }
    const i32 below = i1 + piece_side, end = triangle_ ? j1 : rows_;
#pragma unroll 4
    for (i32 k = below; k < end; ++k) {
#pragma unroll
      for (Value& x : values) take_below(x, j, k, column_size);
    }
    if (!triangle_) {
#pragma unroll 4
      for (i32 k = 0; k < j1; ++k) {
#pragma unroll
        for (Value& x : values) take_left(x, j, k, column_size);
      }
    }
    if (triangle_ && i1 == j1) complete_triangle(values, i1, j, column_size);
    else complete_square(values, i1, j1, j, column_size);
    if constexpr (with_splits) {
#pragma unroll
      for (const Value& x : values) {
        if (x.there) shared_.splits[x.i][j] = x.split;
      }
    }
  }

  /// Completes values at equal distance from the piece's lower left corner at a time, and takes each to the values
  /// beyond in its column and row: without branches, so that nothing waits longer than it must.
  __device__ __forceinline__ void complete_square(Value (&values)[2], i32 i1, i32 j1, i32 j, T column_size) {
    constexpr i32 last = piece_side - 1;
#pragma unroll 1
    for (i32 distance = 0; distance <= 2 * last; ++distance) {
#pragma unroll
      for (Value& x : values) {
        if (last - (x.i - i1) + (j - j1) == distance) complete(x, j);
      }
      __syncwarp();
#pragma unroll
      for (Value& x : values) {
        const bool waits = last - (x.i - i1) + (j - j1) > distance;
        const i32 below = last - distance + (j - j1), left = distance - (last - (x.i - i1));
        take_below(x, j, i1 + (below & last), column_size,
                   waits & (below >= 0) & (below <= last) & (i1 + below < rows_));
        take_left(x, j, j1 + (left & last), column_size, waits & (left >= 0));
      }
      // Reads whose values are not taken may meet the cells that the next distance completes.
      __syncwarp();
    }
  }

  /// The same by the distance from the diagonal.
  __device__ __forceinline__ void complete_triangle(Value (&values)[2], i32 i1, i32 j, T column_size) {
    constexpr i32 last = piece_side - 1;
#pragma unroll 1
    for (i32 distance = 1; distance <= last; ++distance) {
#pragma unroll
      for (Value& x : values) {
        if (j - x.i == distance) complete(x, j);
      }
      __syncwarp();
#pragma unroll
      for (Value& x : values) {
        const bool waits = j - x.i > distance;
        const i32 after = x.i + distance, before = j - distance;
        take_below(x, j, i1 + (after & last), column_size, waits & (j - after <= distance));
        take_below(x, j, i1 + (before & last), column_size, waits & (before - x.i <= distance) & (before != after));
      }
      __syncwarp();
    }
  }

  /// The split at row k of the part, below x, if there is one.
  __device__ __forceinline__ void take_below(Value& x, i32 j, i32 k, T column_size, bool there = true) const {
    const Rows& left = triangle_ ? shared_.x : shared_.u;
    const T weight = R::weighted ? static_cast<T>(x.row_size * shared_.row_sizes[k]) : T(0);
    take(x, R::template split<T>(left[x.i][k], shared_.x[k][j], weight, column_size),
         static_cast<i32>(tile_.row) + i0_ + k, there);
  }
  /// The split at column k of the part, on the left of x, if there is one.
  __device__ __forceinline__ void take_left(Value& x, i32 j, i32 k, T column_size, bool there = true) const {
    const Rows& right = triangle_ ? shared_.x : shared_.v;
    const T weight = R::weighted ? static_cast<T>(x.row_size * shared_.column_sizes[k]) : T(0);
    take(x, R::template split<T>(shared_.x[x.i][k], right[k][j], weight, column_size),
         static_cast<i32>(tile_.column) + j0_ + k, there);
  }
  /// Takes a value at split k, if it is there, and better, or as good and k before the split so far.
  static __device__ __forceinline__ void take(Value& x, T value, i32 k, bool there) {
    if constexpr (with_splits) {
      const bool taken = there & takes_place<S>(value, k, x.value, x.split);
      x.value = taken ? value : x.value;
      x.split = taken ? k : x.split;
    } else {
      x.value = there ? S::template plus<T>(x.value, value) : x.value;
    }
  }

  /// Completes a value of which all splits have been taken.
  __device__ __forceinline__ void complete(Value& x, i32 j) {
    if (!x.there) return;
    const i64 from = tile_.row + i0_ + x.i, to = tile_.column + j0_ + j;
    if (to == from + 1) {
      x.value = R::leaf(tile_.terms, from);
      x.split = no_split;
    } else if constexpr (R::looks_inside) {
      if (x.pairs) {
        const T inner = inner_value(x.i, j);
        if (inner + 1 >= x.value) x.split = static_cast<i32>(from);
        x.value = R::whole(x.value, inner, tile_.terms, from, to);
      }
    } else {
      x.value = R::whole(x.value, T(0), tile_.terms, from, to);
    }
    shared_.x[x.i][j] = x.value;
  }

  /// x(i + 1, j - 1).
  __device__ __forceinline__ T inner_value(i32 i, i32 j) const {
    if (i + 1 < rows_ && j > 0) return shared_.x[i + 1][j - 1];
    const i32 below = i0_ + i + 1, left = j0_ + j - 1;
    if (below < tile_.rows) {
      return left >= 0 ? tile_.x[below * tile_.x_stride + left] : tile_.beside[below * tile_.beside_stride];
    }
    return left >= 0 ? tile_.under[left] : *tile_.corner;
  }

  const TriangleTile<T>& tile_;
  Shared& shared_;
  i32 i0_, j0_;  // of the part in the tile
  i32 rows_, columns_;
  bool triangle_;
};

}  // namespace terrace::recursive
