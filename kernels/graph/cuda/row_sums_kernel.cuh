// Cells of neighbourhoods whose rows are summed first, on CUDA: each sum of a row is made once and shared by the
// cells of a column, in shared memory.
#pragma once

#include "kernels/graph/cuda/readers.cuh"
#include "kernels/launch/overlap.cuh"

namespace terrace::graph {

/// Cells of a thread block, and its threads: one a column, several below one another. Not measured.
inline constexpr u32 sum_columns = 64, sum_rows = 32, sum_threads = 256;

template <class Op, class T, class Read>
__device__ __forceinline__ void sum_rows_of(const Constants<T>& k, const Read& read, i64 i, i64 j, i64 count,
                                            T* sums) {
  const u32 column = threadIdx.x % sum_columns;
  for (u32 r = threadIdx.x / sum_columns; r < count; r += sum_threads / sum_columns) {
    sums[r * sum_columns + column] = Op::row_sum(k, read, i + r, j + column);
  }
}

template <class Op, class T>
__global__ void __launch_bounds__(sum_threads) sum_rows_kernel(const __grid_constant__ Work work) {
  __shared__ T sums[(sum_rows + 2 * most_radius) * sum_columns];
  device::wait_for_earlier_kernels();
  if (work.state->usable == 0) return;
  const Constants<T> k = constants_of<T>(work);
  const u32 across = (static_cast<u32>(work.columns) + sum_columns - 1) / sum_columns;
  const i64 i = work.rows.begin + blockIdx.x / across * sum_rows, j = blockIdx.x % across * sum_columns;
  const i64 end = i + sum_rows < work.rows.end ? i + sum_rows : work.rows.end;
  const i64 count = end - i + 2 * k.row_radius, column = threadIdx.x % sum_columns;
  const bool is_inner = i >= work.inner.rows.begin && end <= work.inner.rows.end && j >= work.inner.columns.begin &&
                        j + sum_columns <= work.inner.columns.end;
  if (is_inner) {
    sum_rows_of<Op>(k, DeviceReader<T>(work, 1), i - k.row_radius, j, count, sums);
  } else if (j + column < work.columns) {
    sum_rows_of<Op>(k, DeviceBoundaryReader<T>{work}, i - k.row_radius, j, count, sums);
  }
  __syncthreads();
  if (j + column >= work.columns) return;
  for (i64 r = threadIdx.x / sum_columns; r < end - i; r += sum_threads / sum_columns) {
    work.made.row<T>(i + r)[j + column] =
        Op::sum_of_rows(k, [&](i64 a) { return sums[(r + a) * sum_columns + column]; });
  }
}

}  // namespace terrace::graph
