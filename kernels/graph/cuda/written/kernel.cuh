// Cells of a formula that a job writes on CUDA, each from its sources in global memory. The cell is a struct that is
// printed (print_cell.hpp), with which the kernel is compiled at run time.
#pragma once

#include "kernels/graph/cuda/written/work.hpp"
#include "kernels/launch/overlap.cuh"

namespace terrace::graph {

/// Values inside of the sources.
template <class Cell>
struct InnerSources {
  using T = typename Cell::T;

  const T* data[Cell::sources];  // of a source its row 0, if it were there
  i64 stride[Cell::sources];
  Shape of_all;

  __device__ __forceinline__ explicit InnerSources(const WrittenWork& work) : of_all(work.shape) {
#pragma unroll
    for (i32 n = 0; n < Cell::sources; ++n) {
      data[n] = work.sources[n].inside.row<const T>(0);
      stride[n] = work.sources[n].inside.stride;
    }
  }
  __device__ __forceinline__ T operator()(i32 number, i64 i, i64 j) const {
    return data[number][i * stride[number] + j];
  }
  __device__ __forceinline__ i64 index(i32, i64 at) const { return at; }
  __device__ __forceinline__ Shape shape() const { return of_all; }
};

/// Any values.
template <class T>
struct AnySources {
  const WrittenWork& work;

  __device__ __forceinline__ T operator()(i32 number, i64 i, i64 j) const {
    const WorkSource& source = work.sources[number];
    const i64 row = index_inside(i, work.shape.rows, source.boundary);
    const i64 column = index_inside(j, work.shape.columns, source.boundary);
    if (row == outside || column == outside) return static_cast<T>(source.boundary_value);
    const RowsInMemory& rows = i < 0 ? source.above : i >= work.shape.rows ? source.below : source.inside;
    return rows.row<const T>(row)[column];
  }
  __device__ __forceinline__ i64 index(i32, i64 at) const { return at; }
  __device__ __forceinline__ Shape shape() const { return work.shape; }
};

/// Makes the cells of a thread that lie inside of the rows, any of which may read something outside of the sources. A
/// function of its own, so that its registers are not those of the cells inside.
template <class Cell>
__device__ __noinline__ void make_any_cells(const WrittenWork& work, i64 i, i64 j) {
  using T = typename Cell::T;
  constexpr WrittenTile tile = written_tile(Cell::reaches, Cell::operations);
  const AnySources<T> read{work};
#pragma unroll 1
  for (u32 n = 0; n < tile.rows * tile.columns; ++n) {
    const i64 row = i + n / tile.columns, column = j + n % tile.columns * 32;
    if (row >= work.rows.end || column >= work.shape.columns) continue;
    T made[Cell::results];
    Cell::make(read, row, column, made);
#pragma unroll
    for (i32 result = 0; result < Cell::results; ++result) work.made[result].row<T>(row)[column] = made[result];
  }
}

/// Makes cells of rows [rows.begin, rows.end), from the tile of the thread block on: a warp has the tile's rows, and
/// warps lie side by side.
template <class Cell>
__global__ void __launch_bounds__(written_threads, written_blocks(Cell::operations))
    make_written_kernel(const __grid_constant__ WrittenWork work) {
  using T = typename Cell::T;
  constexpr WrittenTile tile = written_tile(Cell::reaches, Cell::operations);
  device::wait_for_earlier_kernels();
  if (work.state->usable == 0) return;
  const u32 across = (static_cast<u32>(work.shape.columns) + written_warps * tile.warp_columns() - 1) /
                     (written_warps * tile.warp_columns());
  const i64 i = work.rows.begin + blockIdx.x / across * tile.rows;
  const i64 j0 = (blockIdx.x % across * written_warps + threadIdx.x / 32) * tile.warp_columns();
  const i64 j = j0 + threadIdx.x % 32;
  const bool is_inner = i >= work.inner.rows.begin && i + tile.rows <= work.rows.end &&
                        i + tile.rows <= work.inner.rows.end && j0 >= work.inner.columns.begin &&
                        j0 + tile.warp_columns() <= work.inner.columns.end;
  if (is_inner) {
    const InnerSources<Cell> read(work);
    T made[tile.rows][tile.columns][Cell::results];
#pragma unroll
    for (u32 r = 0; r < tile.rows; ++r) {
#pragma unroll
      for (u32 c = 0; c < tile.columns; ++c) Cell::make(read, i + r, j + c * 32, made[r][c]);
    }
#pragma unroll
    for (i32 n = 0; n < Cell::results; ++n) {
      T* to = work.made[n].row<T>(i) + j;
#pragma unroll
      for (u32 r = 0; r < tile.rows; ++r) {
#pragma unroll
        for (u32 c = 0; c < tile.columns; ++c) to[r * work.made[n].stride + c * 32] = made[r][c][n];
      }
    }
    return;
  }
  make_any_cells<Cell>(work, i, j);
}

}  // namespace terrace::graph
