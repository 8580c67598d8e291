// Tiles of problems over intervals on CUDA, and the steps around their updates: initial values, the walk through
// splits, and the report.
#pragma once

#include "kernels/recursive/cuda/tile_state.cuh"
#include "kernels/recursive/interval_rules.hpp"
#include "kernels/recursive/measured.hpp"
#include "kernels/recursive/rules/interval_task.hpp"

namespace terrace::recursive {

inline constexpr i32 part_side =
    measured::CudaIntervals::part_side;  // rows and columns of the parts that tiles are closed in

/// A tile and the factors of its splits.
template <class T>
struct TriangleTile {
  const TileState* state;
  T* x;
  i64 x_stride;
  i32* split;  // null: not asked for
  i64 split_stride;
  i32 rows, columns;
  i64 row, column;  // the first nodes
  const T* u;       // products: rows x depth; closing: the tile on the diagonal in x's rows, or x itself there
  i64 u_stride;
  const T* v;
  i64 v_stride;
  i32 depth;
  i64 first_split;
  const T* under;  // as in IntervalTask
  const T* beside;
  i64 beside_stride;
  const T* corner;
  NodeTerms<T> terms;

  __host__ __device__ i32 high() const { return (rows + part_side - 1) / part_side; }
  __host__ __device__ i32 wide() const { return (columns + part_side - 1) / part_side; }
};

/// Thread blocks take rows in turn. @param below_diagonal true if values below the diagonal become zeros, without
/// splits, all others staying
template <class T>
__global__ void fill_kernel(TriangleTile<T> tile, T value, i32 split, i32 below_diagonal) {
  if (tile.state->begun == 0) return;
  for (i32 i = static_cast<i32>(blockIdx.x); i < tile.rows; i += static_cast<i32>(gridDim.x)) {
    const bool zeros = below_diagonal != 0;
    const i32 end = zeros ? i / part_side * part_side : tile.columns;
    for (i32 j = static_cast<i32>(threadIdx.x); j < end; j += static_cast<i32>(blockDim.x)) {
      if (tile.x != nullptr) tile.x[i * tile.x_stride + j] = value;
      if (tile.split != nullptr) tile.split[i * tile.split_stride + j] = split;
    }
  }
}

/// The steps of a walk, by one thread block: its threads take rows in turn, again until no interval is split any
/// more. An interval is split by the thread of its first node alone.
template <class T>
__global__ void trace_kernel(TileState* state, IntervalTask task) {
  if (state->begun == 0) return;
  const i32 nodes = static_cast<i32>(task.nodes), first = static_cast<i32>(threadIdx.x);
  const i32 threads = static_cast<i32>(blockDim.x);
  volatile i32* ends = task.trace;
  i32 *opens = task.trace + nodes, *closes = opens + nodes;
  if (task.step == IntervalStep::begin_trace) {
    for (i32 node = first; node < 3 * nodes; node += threads) ends[node] = node == 0 ? nodes - 1 : 0;
    return;
  }
  bool any = true;
  while (__syncthreads_or(any)) {
    any = false;
    for (i32 row = first; row < task.rows; row += threads) {
      const i32 i = static_cast<i32>(task.row) + row, j = ends[i];
      if (j < task.column || j >= task.column + task.columns || j - i < 2) continue;
      const i32 k = task.split[row * task.split_stride + j - task.column];
      if (!is_split(i, j, k, task.pairs)) {
        state->negative_pivot = i;  // no interval is split any more once one is lost
        continue;
      }
      if (task.pairs == 0 || k == i) {
        atomicAdd(opens + i, 1);
        atomicAdd(closes + j - 1, 1);
      }
      if (k == i) {
        ends[i] = i + 1;
        ends[j - 1] = j;
        if (j - 1 > i + 1) ends[i + 1] = j - 1;
      } else {
        ends[i] = k;
        ends[k] = j;
      }
      any = true;
    }
  }
}

/// One thread block: reports block `block`, the launch's first one that is not reported.
template <class T>
__global__ void report_interval_kernel(device::Port port, const TileState* state, u64 block, IntervalTask task) {
  if (state->begun == 0) return;
  auto* result = device::result_of<IntervalResult>(port, block);
  if (task.step == IntervalStep::report) {
    for (i32 n = static_cast<i32>(threadIdx.x); n < task.rows; n += static_cast<i32>(blockDim.x)) {
      result->opens[n] = task.trace[n];
      result->closes[n] = task.trace[task.nodes + n];
    }
  }
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0) return;
  result->lost = state->negative_pivot + 1;
  if (task.top != 0) {
    const T value = static_cast<const T*>(task.x)[task.columns - 1];
    if constexpr (is_real<T>) result->real = value;
    else result->whole = value;
  }
  device::report_next(port, block);
}

}  // namespace terrace::recursive
