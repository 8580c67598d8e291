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
  i64 finite = 0, outside = 0, high = 0, low = 0;
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
    outside += other.outside;
    high += other.high;
    low += other.low;
    sum += other.sum;
  }
};

/// Bins that a thread block counts in shared memory; more of them in global memory.
inline constexpr i64 most_shared_bins = 1024;

/// Sets the counts of a histogram to 0.
template <class T>
__global__ void __launch_bounds__(reduction_threads)
    clear_histogram_kernel(const TileState* state, ReductionTask task) {
  if (state->begun == 0) return;
  for (i64 bin = threadIdx.x; bin < task.bins.bins; bin += reduction_threads) task.histogram[bin] = 0;
}

/// Adds the row of a thread block to the histogram. @return this thread's number of finite distances in no bin
template <class T>
__device__ __forceinline__ i64 count_row(const ReductionTask& task, const T* row, i64 self) {
  __shared__ u32 own[most_shared_bins];
  auto* counts = reinterpret_cast<u64*>(task.histogram);
  const bool is_shared = task.bins.bins <= most_shared_bins;
  for (i64 bin = threadIdx.x; is_shared && bin < task.bins.bins; bin += reduction_threads) own[bin] = 0;
  __syncthreads();
  i64 outside = 0;
  for (i64 j = threadIdx.x; j < task.columns; j += reduction_threads) {
    if (j == self || !is_finite(row[j])) continue;
    const i64 bin = task.bins.bin(static_cast<double>(row[j]));
    if (bin < 0) ++outside;
    else if (is_shared) atomicAdd(&own[bin], 1u);
    else atomicAdd(&counts[bin], u64{1});
  }
  __syncthreads();
  for (i64 bin = threadIdx.x; is_shared && bin < task.bins.bins; bin += reduction_threads) {
    if (own[bin] > 0) atomicAdd(&counts[bin], u64{own[bin]});
  }
  return outside;
}

/// A thread block a row; writes the row's totals to the block's result.
template <class T>
__global__ void __launch_bounds__(reduction_threads)
    reduce_rows_kernel(const TileState* state, ReductionTask task, ReductionResult* result) {
  if (state->begun == 0) return;
  __shared__ Totals shared[reduction_threads];
  const auto thread = static_cast<i32>(threadIdx.x);
  const T* row = static_cast<const T*>(task.data) + static_cast<i64>(blockIdx.x) * task.stride;
  const i64 self = task.self[blockIdx.x];
  Totals totals;
  for (i64 j = thread; j < task.columns; j += reduction_threads) {
    if (j != self) totals.add(row[j]);
  }
  if (task.histogram != nullptr) totals.outside = count_row(task, row, self);
  shared[thread] = totals;
  for (i32 half = reduction_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) shared[thread].add(shared[thread + half]);
  }
  if (thread > 0) return;
  const Totals& all = shared[0];
  RowTotals found{};
  found.finite = all.finite;
  found.outside = all.outside;
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
