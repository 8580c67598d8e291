// Cells of a node on CUDA, each from its operands in global memory.
#pragma once

#include "kernels/graph/cuda/readers.cuh"
#include "kernels/launch/overlap.cuh"

namespace terrace::graph {

inline constexpr u32 cell_threads = 256, warp_width = 32;
/// Warps of a thread block side by side; the others are below them.
inline constexpr u32 warps_across = 4, warps_down = cell_threads / warp_width / warps_across;

/// The cells of a thread. Those of a row lie a warp apart, or next to one another.
struct CellTile {
  u32 rows, columns;
  bool adjacent;

  TERRACE_HOST_DEVICE constexpr u32 block_rows() const { return warps_down * rows; }
  TERRACE_HOST_DEVICE constexpr u32 warp_columns() const { return warp_width * columns; }
  TERRACE_HOST_DEVICE constexpr u32 block_columns() const { return warps_across * warp_columns(); }
};

/// Neighbourhoods share values from row to row. Operators that double an array treat even and odd cells differently:
/// a thread has both. Not measured.
template <class Op>
inline constexpr CellTile cell_tile = Op::takes_size     ? CellTile{4, 2, true}
                                      : Op::has_boundary ? CellTile{8, 1, false}
                                                         : CellTile{2, 4, false};

/// The settings of a node that are known when its kernel is compiled: the radius along both axes, Constants::axis and
/// is_separable; -1: nothing.
template <i32 radius_ = -1, i32 axis_ = -1, i32 separable_ = -1>
struct Variant {
  static constexpr i32 radius = radius_, axis = axis_, separable = separable_;
};

template <class V, class T>
__device__ __forceinline__ Constants<T> known(Constants<T> k) {
  if constexpr (V::radius >= 0) k.row_radius = k.column_radius = V::radius;
  if constexpr (V::axis >= 0) k.axis = V::axis;
  if constexpr (V::separable >= 0) k.is_separable = V::separable != 0;
  return k;
}

/// A column of cells that read nothing outside of their operands, from row i on.
template <class Op, class V, class T>
__device__ __forceinline__ void make_column(const Constants<T>& k, const DeviceReader<T>& read, i64 i, i64 j,
                                            T (&made)[cell_tile<Op>.rows]) {
  constexpr u32 rows = cell_tile<Op>.rows;
  if constexpr (SumsRows<Op> && V::radius >= 0) {
    if (Op::sums_rows(k)) {
      T sums[rows + 2 * V::radius];
#pragma unroll
      for (u32 r = 0; r < rows + 2 * V::radius; ++r) sums[r] = Op::row_sum(k, read, i + r - V::radius, j);
#pragma unroll
      for (u32 r = 0; r < rows; ++r) made[r] = Op::sum_of_rows(k, [&](i64 a) { return sums[r + a]; });
      return;
    }
  }
#pragma unroll
  for (u32 r = 0; r < rows; ++r) made[r] = Op::cell(k, read, i + r, j);
}

/// Makes cells of rows [rows.begin, rows.end), from the tile of the thread block on. A tile begins at an even row
/// where even and odd rows differ.
template <class Op, class T, class V>
__global__ void __launch_bounds__(cell_threads) make_cells_kernel(const __grid_constant__ Work work) {
  constexpr CellTile tile = cell_tile<Op>;
  constexpr u32 step = tile.adjacent ? 1 : warp_width;
  device::wait_for_earlier_kernels();
  if (work.state->usable == 0) return;
  const Constants<T> k = known<V>(constants_of<T>(work));
  const u32 across = (static_cast<u32>(work.columns) + tile.block_columns() - 1) / tile.block_columns();
  const u32 warp = threadIdx.x / warp_width, lane = threadIdx.x % warp_width;
  const u32 first = static_cast<u32>(work.rows.begin) / (tile.adjacent ? 2 : 1) * (tile.adjacent ? 2 : 1);
  const i64 i = first + blockIdx.x / across * tile.block_rows() + warp / warps_across * tile.rows;
  const i64 j0 = blockIdx.x % across * tile.block_columns() + warp % warps_across * tile.warp_columns();
  const i64 j = static_cast<u32>(j0) + lane * (tile.adjacent ? tile.columns : 1);
  const bool is_inner = i >= work.rows.begin && i >= work.inner.rows.begin && i + tile.rows <= work.rows.end &&
                        i + tile.rows <= work.inner.rows.end && j0 >= work.inner.columns.begin &&
                        j0 + tile.warp_columns() <= work.inner.columns.end;
  if (is_inner) {
    const DeviceReader<T> read(work, Op::operands + Op::more);
    T made[tile.columns][tile.rows];
#pragma unroll
    for (u32 c = 0; c < tile.columns; ++c) make_column<Op, V>(k, read, i, j + c * step, made[c]);
    T* to = work.made.row<T>(i) + j;
#pragma unroll
    for (u32 r = 0; r < tile.rows; ++r) {
#pragma unroll
      for (u32 c = 0; c < tile.columns; ++c) to[r * work.made.stride + c * step] = made[c][r];
    }
    return;
  }
  const DeviceBoundaryReader<T> read{work};
#pragma unroll 1
  for (u32 n = 0; n < tile.rows * tile.columns; ++n) {
    const i64 row = i + n / tile.columns, column = j + n % tile.columns * step;
    if (row < work.rows.begin || row >= work.rows.end || column >= work.columns) continue;
    work.made.row<T>(row)[column] = Op::cell(k, read, row, column);
  }
}

}  // namespace terrace::graph
