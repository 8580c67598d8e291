// The terms of a batch's sums by one row of coefficients, one by one (kernel.cuh).
#pragma once

#include "kernels/device/instructions.cuh"
#include "kernels/stencil/cuda/common/chunk.cuh"
#include "kernels/stencil/cuda/wide/shape.cuh"

namespace terrace::stencil {

template <class S>
struct BoxTerms {
  using T = typename S::Value;

  /// The beginning of a sum: negative zero, to which the first term is added without a change.
  static __device__ __forceinline__ T nothing() { return T(-0.0); }

  /// Takes what this lane needs of a row of cells: of its own ones and those within the radius.
  static __device__ __forceinline__ void load(T (&near)[S::near_values], const unsigned char* row) {
    const auto* chunks = reinterpret_cast<const ValueChunk<T>*>(row);
#pragma unroll
    for (i32 q = 0; q < S::near_chunks; ++q) {
      const ValueChunk<T> some = chunks[S::chunk_at(q)];
#pragma unroll
      for (i32 w = 0; w < S::chunk; ++w) near[q * S::chunk + w] = some.values[w];
    }
  }
  /// Adds the terms by one row of coefficients. @param near rows of cells: row (first + v) % S::rows for sum[v]
  static __device__ __forceinline__ void add(T (&sum)[S::rows][S::cells], const T (&near)[S::rows][S::near_values],
                                             i32 first, const T* coefficients) {
#pragma unroll
    for (i32 v = 0; v < S::rows; ++v) {
#pragma unroll
      for (i32 right = 0; right < S::span; ++right) {
        const T coefficient = coefficients[right];
#pragma unroll
        for (i32 c = 0; c < S::cells; ++c) {
          sum[v][c] = fused(coefficient, near[(first + v) % S::rows][S::halo - S::radius + right + c], sum[v][c]);
        }
      }
    }
  }
};

}  // namespace terrace::stencil
