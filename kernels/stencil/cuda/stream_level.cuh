// The levels of a warp that streams rows (stream_kernel.cuh): sizes, and partial sums in registers.
#pragma once

#include "kernels/stencil/cuda/state_kernel.cuh"
#include "kernels/stencil/cuda/stream_chunk.cuh"
#include "kernels/stencil/cuda/stream_task.hpp"

namespace terrace::stencil {

using device::u32;
using measured::StreamForm;

/// The memory of rows that follow one another: row n is at `row_0` + n * width, for n below `end`.
template <class T>
struct alignas(16) StreamPlace {
  T* row_0;
  i32 end;
};

/// The tile and the chunk of a thread block, in shared memory: registers are for sums. Rows are counted from the
/// first one that is read on, and cells from the tile's begin.
template <class T>
struct alignas(16) StreamTile {
  StreamPlace<T> from, to;       // of the next row that is read, and written
  i64 first_row, first_column;   // of the grid; those of periodic axes may be below 0
  i32 count, batches;            // rows to make; batches of all rows that are read
  i32 useful_begin, useful_end;  // cells that are written
  i32 before, beyond;            // cells [0, before) and from beyond on lie beyond the ends of periodic columns
  i32 low, high;                 // rows below `low` and from `high` on keep their values
  i32 at_left, at_right;         // not 0: the tile ends at the grid's end
};

/// A kernel's sizes as constants.
template <class T, StreamForm form_, i32 radius_,
          measured::StreamSizes sizes_ = measured::CudaStream::sizes(form_, radius_, sizeof(T))>
struct StreamShape {
  using Value = T;
  static constexpr StreamForm form = form_;
  static constexpr i32 radius = radius_;
  static constexpr measured::StreamSizes sizes = sizes_;
  static constexpr i32 cells = sizes.cells, levels = sizes.levels, warps = sizes.warps, rows = sizes.rows;
  static constexpr i32 slots = sizes.slots;
  static constexpr i32 tile = 32 * cells;
  static constexpr i32 span = 2 * radius + 1;
  static constexpr i32 lag = radius * levels;  // rows by which a warp's result is behind what it takes

  // Shared memory, in chunks of 16 bytes.
  static constexpr i32 chunk = 16 / sizeof(T), chunks = tile / chunk, lane_chunks = cells / chunk;
  static constexpr i32 input_at = 0, hand_on_at = slots * rows * chunks;
  static constexpr i32 output_at = hand_on_at + 2 * (warps - 1) * rows * chunks;
  static constexpr i32 tile_at = output_at + rows * chunks;
  static constexpr i32 shared_bytes = 16 * tile_at + sizeof(StreamTile<T>);

  static_assert(levels * warps <= most_steps_at_once);
  static_assert(radius <= cells && cells % chunk == 0 && (slots & (slots - 1)) == 0 && slots >= 2);
};

/// The place of a row's chunk in shared memory: lanes that read their own chunks at once meet in no bank.
template <class S>
__device__ __forceinline__ i32 place_of_chunk(i32 chunk) {
  if constexpr (S::lane_chunks % 2 == 1) return chunk;
  else return chunk ^ (chunk >> 3 & (S::lane_chunks - 1));
}

/// The cells and rows that keep their values, counted as StreamTile counts them.
struct StreamRims {
  bool left, right;  // this lane's first or last cells keep their values
  i32 low, high;     // rows below `low` and from `high` on are kept
};

/// One level of a warp: partial sums of the rows after the newest one, or whose terms are not complete.
template <class S>
struct StreamLevel {
  using T = typename S::Value;
  T sum[2 * S::radius][S::cells];

  /// Takes row `row` of the level below, and gives the row `radius` above it in its place.
  /// @param coefficients as StreamTask has them
  /// @param edges true if the tile may end at the grid's end; rims: true if rows may be kept; all_kept: all are
  template <bool edges, bool rims>
  __device__ __forceinline__ void add(T (&x)[S::cells], const T* coefficients, const StreamRims& kept, i32 row,
                                      bool all_kept) {
    T near[S::cells + 2 * S::radius];
#pragma unroll
    for (i32 k = 0; k < S::radius; ++k) {
      near[k] = __shfl_up_sync(~0u, x[S::cells - S::radius + k], 1);
      near[S::radius + S::cells + k] = __shfl_down_sync(~0u, x[k], 1);
    }
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) near[S::radius + c] = x[c];
    T along[S::cells];  // of StreamForm::separable: the sums of the row alone
    if constexpr (S::form == StreamForm::separable) add_along(along, near, coefficients);
    add_terms<edges, rims>(x, sum[0], near, along, coefficients, kept, row, all_kept, S::radius);
#pragma unroll
    for (i32 i = 0; i + 1 < 2 * S::radius; ++i) {
      add_terms<edges, rims>(sum[i], sum[i + 1], near, along, coefficients, kept, row, all_kept, S::radius - 1 - i);
    }
    add_terms<false, false>(sum[2 * S::radius - 1], sum[2 * S::radius - 1], near, along, coefficients, kept, row,
                            all_kept, -S::radius);
  }

 private:
  static __device__ __forceinline__ void add_along(T (&along)[S::cells], const T (&near)[S::cells + 2 * S::radius],
                                                   const T* coefficients) {
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) {
      along[c] = times(coefficients[0], near[c]);
#pragma unroll
      for (i32 k = 1; k < S::span; ++k) along[c] = fused(coefficients[k], near[c + k], along[c]);
    }
  }
  /// The sum of a cell of the row `down` above the newest one, with the terms of the newest one.
  static __device__ __forceinline__ T with_terms(T value, const T (&near)[S::cells + 2 * S::radius],
                                                 const T (&along)[S::cells], const T* coefficients, i32 c, i32 down) {
    if constexpr (S::form == StreamForm::separable) {
      const T coefficient = coefficients[S::span + S::radius + down];
      value = down == -S::radius ? times(coefficient, along[c]) : fused(coefficient, along[c], value);
    } else {
#pragma unroll
      for (i32 right = -S::radius; right <= S::radius; ++right) {
        if (S::form == StreamForm::star && down != 0 && right != 0) continue;
        const T coefficient = coefficients[(down + S::radius) * S::span + right + S::radius];
        const bool is_first = down == -S::radius && (right == -S::radius || S::form == StreamForm::star);
        const T x = near[S::radius + c + right];
        value = is_first ? times(coefficient, x) : fused(coefficient, x, value);
      }
    }
    return value;
  }
  /// The sums of the row `down` above the newest one, with the terms of the newest one.
  template <bool edges, bool rims>
  static __device__ __forceinline__ void add_terms(T (&made)[S::cells], const T (&before)[S::cells],
                                                   const T (&near)[S::cells + 2 * S::radius],
                                                   const T (&along)[S::cells], const T* coefficients,
                                                   const StreamRims& kept, i32 row, bool all_kept, i32 down) {
    const bool row_kept = rims && (all_kept || row - down < kept.low || row - down >= kept.high);
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) {
      T value = with_terms(before[c], near, along, coefficients, c, down);
      if (down >= 0 && (edges || rims)) {
        bool keeps = row_kept;
        if (edges && c < S::radius) keeps = keeps || kept.left;
        if (edges && c >= S::cells - S::radius) keeps = keeps || kept.right;
        if (keeps) value = down == 0 ? near[S::radius + c] : before[c];
      }
      made[c] = value;
    }
  }
};

}  // namespace terrace::stencil
