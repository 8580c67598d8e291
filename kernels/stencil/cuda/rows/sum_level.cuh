// The levels of a warp that streams rows of a sum (kernel.cuh): partial sums in registers.
#pragma once

#include "kernels/stencil/cuda/rows/tile.cuh"

namespace terrace::stencil {

using measured::StreamForm;

template <class S>
struct StreamLevel;

/// A kernel's sizes as constants.
template <class T, StreamForm form_, i32 radius_,
          measured::StreamSizes sizes_ = measured::CudaStream::sizes(form_, radius_, sizeof(T))>
struct StreamShape : StreamLayout<T, 1, radius_, sizes_> {
  using Task = StreamTask<T>;
  using Level = StreamLevel<StreamShape>;
  using Columns = NoColumns;
  static constexpr StreamForm form = form_;
  static constexpr i32 span = 2 * radius_ + 1;
  /// The same kernel with other sizes.
  template <measured::StreamSizes other>
  using Resized = StreamShape<T, form_, radius_, other>;
  static __device__ __forceinline__ void prepare() {}
};

/// One level of a warp: partial sums of the rows after the newest one, or whose terms are not complete.
template <class S>
struct StreamLevel {
  using T = typename S::Value;
  /// Rows after which every value is in the register in which it was.
  static constexpr i32 period = 1;

  T sum[2 * S::radius][S::cells];

  /// Takes a row of the level below, and gives the row `radius` above it in its place.
  template <bool edges, bool rims>
  __device__ __forceinline__ void take(T (&x)[1][S::cells], const StreamTask<T>& task, const NoColumns&,
                                       const StreamRims& kept, const StreamRow& row) {
    add<edges, rims>(x[0], task.coefficients, kept, row.number, row.all_kept);
  }

  /// The same. @param coefficients as StreamTask has them
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
