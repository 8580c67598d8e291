// Positions of an array's values above 0 on CUDA, in row-major order: the values of each row are counted, the counts
// become the numbers of positions before each row, and every row writes its own.
#pragma once

#include "kernels/graph/cuda/reduce_kernel.cuh"

namespace terrace::graph {

/// The number of positions of each row, by a warp.
template <class T>
__global__ void __launch_bounds__(reduce_threads) count_listed_kernel(const __grid_constant__ Work work) {
  if (work.state->usable == 0) return;
  const i64 row = work.rows.begin + blockIdx.x * reduce_warps + threadIdx.x / Reduce::lanes;
  if (row >= work.rows.end) return;
  const T* values = work.operands[0].row<const T>(row);
  u32 count = 0;
#pragma unroll 8
  for (i64 j = threadIdx.x % Reduce::lanes; j < work.columns; j += Reduce::lanes) {
    count += Positions::is_listed(values[j]) ? 1 : 0;
  }
#pragma unroll
  for (u32 half = Reduce::lanes / 2; half > 0; half /= 2) count += __shfl_down_sync(~0u, count, half);
  if (threadIdx.x % Reduce::lanes == 0) *work.made.row<i64>(row) = count;
}

/// One warp: turns the numbers of positions of rows into those before each row, and adds them to their number. T sets
/// the kernels of different sources apart.
template <class T>
__global__ void place_rows_kernel(const __grid_constant__ Work work) {
  if (work.state->usable == 0) return;
  double* number = static_cast<double*>(work.reduced) + work.positions.number_at();
  i64 before = static_cast<i64>(*number);
  for (i64 row = work.rows.begin; row < work.rows.end; row += Reduce::lanes) {
    const bool is_row = row + threadIdx.x < work.rows.end;
    const i64 own = is_row ? *work.made.row<const i64>(row + threadIdx.x) : 0;
    i64 sum = own;
#pragma unroll
    for (u32 distance = 1; distance < Reduce::lanes; distance *= 2) {
      const i64 other = __shfl_up_sync(~0u, sum, distance);
      if (threadIdx.x >= distance) sum += other;
    }
    if (is_row) *work.made.row<i64>(row + threadIdx.x) = before + sum - own;
    before += __shfl_sync(~0u, sum, Reduce::lanes - 1);
  }
  if (threadIdx.x == 0) *number = static_cast<double>(before);
}

/// Writes the positions of each row, by a warp. Operand 1 has the number of those before.
template <class T>
__global__ void __launch_bounds__(reduce_threads) list_kernel(const __grid_constant__ Work work) {
  if (work.state->usable == 0) return;
  const i64 row = work.rows.begin + blockIdx.x * reduce_warps + threadIdx.x / Reduce::lanes;
  if (row >= work.rows.end) return;
  const T* values = work.operands[0].row<const T>(row);
  auto* listed = static_cast<i64*>(work.reduced);
  const u32 lane = threadIdx.x % Reduce::lanes;
  i64 before = *work.operands[1].row<const i64>(row);
  for (i64 first = 0; first < work.columns && before < work.positions.most; first += Reduce::lanes) {
    const bool is_listed = first + lane < work.columns && Positions::is_listed(values[first + lane]);
    const u32 all = __ballot_sync(~0u, is_listed);
    const i64 at = before + __popc(all & ((1u << lane) - 1));
    if (is_listed && at < work.positions.most) {
      listed[2 * at] = row;
      listed[2 * at + 1] = first + lane;
    }
    before += __popc(all);
  }
}

}  // namespace terrace::graph
