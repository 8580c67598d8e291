// Totals of rows of distances on CUDA.
#pragma once

#include "kernels/recursive/cuda/tile_state.cuh"
#include "kernels/recursive/measured.hpp"
#include "kernels/recursive/reduction.hpp"

namespace terrace::recursive {

inline constexpr i32 reduction_threads = measured::CudaRows::reduction_threads;

/// The totals of a thread, then of a warp and of a thread block. Sums are made in an order that is always the same.
struct Totals {
  Extent extent;
  i64 finite = 0, high = 0, low = 0;
  double sum = 0;

  template <class T>
  __device__ __forceinline__ void add(T value) {
    if (!is_finite(value)) return;
    extent.add(value);
    ++finite;
    if constexpr (is_real<T>) {
      sum += static_cast<double>(value);
    } else {
      high += static_cast<i64>(value) >> 32;
      low += static_cast<i64>(value) & 0xFFFFFFFFll;
    }
  }
  __device__ __forceinline__ void add(const Totals& other) {
    if (other.extent.least < extent.least) extent.least = other.extent.least;
    if (other.extent.most > extent.most) extent.most = other.extent.most;
    finite += other.finite;
    high += other.high;
    low += other.low;
    sum += other.sum;
  }
};

/// A thread block a row; writes the row's totals to the block's result.
template <class T>
__global__ void __launch_bounds__(reduction_threads)
    reduce_rows_kernel(const TileState* state, ReductionTask task, ReductionResult* result) {
  if (state->begun == 0) return;
  __shared__ Totals shared[reduction_threads];
  const auto thread = static_cast<i32>(threadIdx.x);
  const T* row = static_cast<const T*>(task.data) + static_cast<i64>(blockIdx.x) * task.stride;
  Totals totals;
  for (i64 j = thread; j < task.columns; j += reduction_threads) {
    if (j != task.first_row + static_cast<i64>(blockIdx.x)) totals.add(row[j]);
  }
  shared[thread] = totals;
  for (i32 half = reduction_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) shared[thread].add(shared[thread + half]);
  }
  if (thread > 0) return;
  const Totals& all = shared[0];
  RowTotals found{};
  found.finite = all.finite;
  found.high = all.high;
  found.low = all.low;
  found.sum_real = all.sum;
  if (all.extent.any()) {
    found.least = value_of_key<T>(all.extent.least).whole;
    found.most = value_of_key<T>(all.extent.most).whole;
    found.least_real = value_of_key<T>(all.extent.least).real;
    found.most_real = value_of_key<T>(all.extent.most).real;
  }
  result->rows[blockIdx.x] = found;
  __threadfence_system();
}

/// One thread: says that block `block` is done.
template <class Unused>
__global__ void end_reduction_kernel(device::Port port, const TileState* state, u64 block) {
  if (state->begun == 0) return;
  device::report_next(port, block);
}

}  // namespace terrace::recursive
