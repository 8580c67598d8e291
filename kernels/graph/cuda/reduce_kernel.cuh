// Numbers and counts of arrays on CUDA, as reductions/reduce.hpp and reductions/histogram.hpp define them.
#pragma once

#include "kernels/graph/cuda/work.hpp"

namespace terrace::graph {

inline constexpr u32 reduce_threads = 256, reduce_warps = reduce_threads / Reduce::lanes;

/// The result of each row, by a warp.
template <class T, Measure measure>
__global__ void __launch_bounds__(reduce_threads) reduce_rows_kernel(const __grid_constant__ Work work) {
  if (work.state->usable == 0) return;
  const i64 row = work.rows.begin + blockIdx.x * reduce_warps + threadIdx.x / Reduce::lanes;
  if (row >= work.rows.end) return;
  const T* values = work.operands[0].row<const T>(row);
  double result = Reduce::start(measure);
#pragma unroll 8
  for (i64 j = threadIdx.x % Reduce::lanes; j < work.columns; j += Reduce::lanes) {
    result = Reduce::fold(measure, result, static_cast<double>(values[j]));
  }
#pragma unroll
  for (u32 half = Reduce::lanes / 2; half > 0; half /= 2) {
    result = Reduce::fold(measure, result, __shfl_down_sync(~0u, result, half));
  }
  if (threadIdx.x % Reduce::lanes == 0) *work.made.row<double>(row) = result;
}

/// One warp: folds the results of rows, from that of the rows above on. T sets the kernels of different sources
/// apart.
template <class T, Measure measure>
__global__ void fold_rows_kernel(const __grid_constant__ Work work) {
  if (work.state->usable == 0) return;
  auto* reduced = static_cast<double*>(work.reduced);
  double result = work.is_first != 0 ? Reduce::start(measure) : *reduced;
  for (i64 row = work.rows.begin; row < work.rows.end; row += Reduce::lanes) {
    const i64 left = work.rows.end - row;
    const double own = threadIdx.x < left ? *work.operands[0].row<const double>(row + threadIdx.x) : 0;
#pragma unroll 8
    for (u32 lane = 0; lane < Reduce::lanes; ++lane) {
      const double next = __shfl_sync(~0u, own, lane);
      if (lane < left) result = Reduce::fold(measure, result, next);
    }
  }
  if (threadIdx.x == 0) *reduced = result;
}

/// Bins that a thread block counts in shared memory; more of them in global memory.
inline constexpr i64 most_shared_bins = 4096;

/// Sets all elements of a list to 0.
template <class T>
__global__ void __launch_bounds__(reduce_threads) clear_kernel(const __grid_constant__ Work work) {
  if (work.state->usable == 0) return;
  const i64 first = blockIdx.x * i64{reduce_threads} + threadIdx.x, all = gridDim.x * i64{reduce_threads};
  for (i64 n = first; n < work.elements; n += all) static_cast<u64*>(work.reduced)[n] = 0;
}

/// Counts the values of rows: a thread block takes rows in turn.
template <class T>
__global__ void __launch_bounds__(reduce_threads) count_kernel(const __grid_constant__ Work work) {
  __shared__ u32 own[most_shared_bins];
  if (work.state->usable == 0) return;
  auto* counts = static_cast<u64*>(work.reduced);
  const bool is_shared = work.bins.bins <= most_shared_bins;
  for (i64 bin = threadIdx.x; is_shared && bin < work.bins.bins; bin += reduce_threads) own[bin] = 0;
  __syncthreads();
  // No memory has 2^32 values for each thread block.
  for (i64 row = work.rows.begin + blockIdx.x; row < work.rows.end; row += gridDim.x) {
    const T* values = work.operands[0].row<const T>(row);
    for (i64 j = threadIdx.x; j < work.columns; j += reduce_threads) {
      const i64 bin = work.bins.bin(static_cast<double>(values[j]));
      if (bin < 0) continue;
      if (is_shared) atomicAdd(&own[bin], 1u);
      else atomicAdd(&counts[bin], u64{1});
    }
  }
  __syncthreads();
  for (i64 bin = threadIdx.x; is_shared && bin < work.bins.bins; bin += reduce_threads) {
    if (own[bin] > 0) atomicAdd(&counts[bin], u64{own[bin]});
  }
}

}  // namespace terrace::graph
