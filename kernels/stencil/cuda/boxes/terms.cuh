// The sums of a batch of rows, term by term (kernel.cuh).
//
// A lane takes one row of coefficients after another, with the rows of cells that meet it: each lies `radius` and
// more above or below one of the batch, and is read from shared memory once. So the terms of a sum come in their
// order.
#pragma once

#include "kernels/device/instructions.cuh"
#include "kernels/stencil/cuda/blocks/chunk.cuh"
#include "kernels/stencil/cuda/boxes/shape.cuh"

namespace terrace::stencil {

template <class S>
struct BoxTerms {
  using T = typename S::Value;
  using Chunk = ValueChunk<T>;

  /// All threads of the thread block: copies the coefficients into shared memory, if they are read from there.
  static __device__ __forceinline__ void begin(const BoxTask<T>& task, unsigned char* shared) {
    if constexpr (S::in_shared) {
      T* to = reinterpret_cast<T*>(shared + S::block_warps * S::ring);
      for (i32 n = static_cast<i32>(threadIdx.x); n < S::span * S::span; n += 32 * S::block_warps) {
        const i32 at = n / S::span * S::coefficient_row + n % S::span;
        to[at] = task.coefficients[at];
      }
      __syncthreads();
    }
  }
  static __device__ __forceinline__ const T* coefficients(const BoxTask<T>& task, unsigned char* shared) {
    return S::in_shared ? reinterpret_cast<const T*>(shared + S::block_warps * S::ring) : task.coefficients;
  }

  /// Makes the sums of a lane's cells of a batch.
  /// @param row place in shared memory of the first value that the lane reads of the first row that the batch needs
  /// @param end the place that follows on that of the ring's last row
  static __device__ __forceinline__ void add(T (&sum)[S::rows][S::cells], const unsigned char* shared, i32 row,
                                             i32 end, const T* coefficients) {
    // Negative zero: what is added to it stays as it is, as a sum's first term.
#pragma unroll
    for (i32 v = 0; v < S::rows; ++v) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) sum[v][c] = T(-0.0);
    }
    device::forget(end);
    T near[S::rows][S::near_chunks * S::chunk];
    const auto take = [&](i32 turn, i32 number) {
      load(near[turn], reinterpret_cast<const Chunk*>(shared + row));
      row += S::row;
      if (number % S::step == S::step - 1 && row == end) row -= S::ring;
    };
#pragma unroll
    for (i32 v = 0; v + 1 < S::rows; ++v) take(v, v);
    // As many rows of coefficients in turn as there are rows of sums: then every row is where it was.
    i32 left = S::span;
#pragma unroll 1
    while (true) {
#pragma unroll
      for (i32 u = 0; u < S::rows; ++u) {
        take((u + S::rows - 1) % S::rows, u + S::rows - 1);
#pragma unroll
        for (i32 v = 0; v < S::rows; ++v) {
          add_row(sum[v], near[(u + v) % S::rows], coefficients + u * S::coefficient_row);
        }
        if (u == (S::span - 1) % S::rows && left <= S::rows) return;
      }
      left -= S::rows;
      coefficients += S::rows * S::coefficient_row;
    }
  }

 private:
  static __device__ __forceinline__ void load(T (&near)[S::near_chunks * S::chunk], const Chunk* row) {
#pragma unroll
    for (i32 q = 0; q < S::near_chunks; ++q) {
      const Chunk some = row[S::chunk_at(q)];
#pragma unroll
      for (i32 w = 0; w < S::chunk; ++w) near[q * S::chunk + w] = some.values[w];
    }
  }
  static __device__ __forceinline__ void add_row(T (&sum)[S::cells], const T (&near)[S::near_chunks * S::chunk],
                                                 const T* coefficients) {
#pragma unroll
    for (i32 right = 0; right < S::span; ++right) {
      const T coefficient = coefficients[right];
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        sum[c] = fused(coefficient, near[S::halo - S::radius + right + c], sum[c]);
      }
    }
  }
};

}  // namespace terrace::stencil
