// Constant arrays as the levels of a kernel that streams rows read them: from memory, 16 bytes at a time
// where rows begin at multiples of them.
#pragma once

#include "kernels/stencil/cuda/rows/tile.cuh"

namespace terrace::stencil {

/// The memory of rows of an array that follow one another: row n, as StreamTile counts rows, has its first column of
/// the grid at `row_0` + n * width, for n in [begin, end).
template <class T>
struct alignas(16) ArrayPlace {
  const T* row_0;
  i32 begin, end;
};

/// The places of a lane's cells in the grid.
template <class S>
struct FormulaColumns {
  i64 first_row,
      first_column;  // of row 0 as StreamTile counts rows, and of the lane's cell 0: may lie beyond the ends
  i32 column[S::lane_chunks];  // of its chunks

  FormulaColumns() = default;
  template <class Tile>
  __device__ __forceinline__ FormulaColumns(const typename S::Task& task, const Tile& tile)
      : first_row(tile.first_row), first_column(tile.first_column + S::lane() * S::cells) {
#pragma unroll
    for (i32 q = 0; q < S::lane_chunks; ++q) column[q] = static_cast<i32>(column_of(task, q * S::chunk));
  }

  __device__ __forceinline__ i64 row_of(const typename S::Task& task, i32 number) const {
    return task.row_there(first_row + number);
  }
  __device__ __forceinline__ i64 column_of(const typename S::Task& task, i32 cell) const {
    const i64 at = first_column + cell;
    return at < 0 ? at + task.width : at >= task.width ? at - task.width : at;
  }
};

/// The places of a warp's arrays, in the thread block's shared memory.
template <class S>
class ArrayPlaces {
  using T = typename S::Value;
  using Task = typename S::Task;
  using Tile = StreamTile;

 public:
  /// Forgets all places of a warp that makes levels.
  static __device__ __forceinline__ void clear() {
    if (threadIdx.x / 32 == static_cast<u32>(S::level_warps())) return;
    for (i32 n = static_cast<i32>(threadIdx.x % 32); n < S::arrays; n += 32) of_warp()[n] = {nullptr, 0, 0};
    __syncwarp();
  }
  /// Takes a row's cells of the lane, of all arrays. @param is_first true if no level has read the row before
  static __device__ __forceinline__ void load_row(const Task& task, const typename S::Columns& columns, i32 row,
                                                  bool is_first, T (&values)[S::arrays][S::cells]) {
#pragma unroll
    for (i32 n = 0; n < S::arrays; ++n) {
      if (S::adds && task.array[n] < 0) continue;
      ArrayPlace<T>& place = of_warp()[n];
      if (row < place.begin || row >= place.end) find(task, n, row, place);
      const T* from = place.row_0 + row * task.width;
      constexpr i32 ahead = measured::CudaFormulaStream::rows_ahead;
      if (is_first && row + ahead < place.end) device::prefetch(from + ahead * task.width + columns.column[0]);
      load_cells(task, columns, from, values[n]);
    }
  }

 private:
  static __device__ __forceinline__ void load_cells(const Task& task, const typename S::Columns& columns,
                                                    const T* from, T (&values)[S::cells]) {
    if constexpr (S::by_bulk) {
#pragma unroll
      for (i32 q = 0; q < S::lane_chunks; ++q) {
        const auto chunk = *reinterpret_cast<const ValueChunk<T>*>(from + columns.column[q]);
#pragma unroll
        for (i32 v = 0; v < S::chunk; ++v) values[q * S::chunk + v] = chunk.values[v];
      }
    } else {  // rows may begin anywhere
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) values[c] = from[columns.column_of(task, c)];
    }
  }
  static __device__ __forceinline__ ArrayPlace<T>* of_warp() {
    auto* places = reinterpret_cast<ArrayPlace<T>*>(device::launch_shared_memory() + 16 * S::places_at);
    return places + threadIdx.x / 32 * S::arrays;
  }
  /// Not inlined: it is seldom called.
  static __device__ __noinline__ void find(const Task& task, i32 array, i32 number, ArrayPlace<T>& place) {
    const Tile& tile = *reinterpret_cast<const Tile*>(device::launch_shared_memory() + 16 * S::tile_at);
    const ArrayPlace<T> found =
        place_of(task, task.block->arrays[task.array[array]], tile.first_row + number, number);
    __syncwarp();
    if (threadIdx.x % 32 == 0) place = found;
    __syncwarp();
  }
  static __device__ __forceinline__ ArrayPlace<T> place_of(const Task& task, const Rows& rows, i64 row, i32 number) {
    if (task.wraps_rows != 0) {
      while (row < 0) row += task.extent;
      while (row >= task.extent) row -= task.extent;
    }
    // Rows that are not there contribute to nothing that is written: another one takes their place.
    if (row < rows.begin[0] || row >= rows.end) {
      row = row < rows.begin[0] ? rows.begin[0] : rows.end - 1;
      return {rows.template row<T>(row, task.width) - number * task.width, number, number + 1};
    }
    i32 piece = rows.pieces - 1;
    while (piece > 0 && rows.begin[piece] > row) --piece;
    const i64 end = piece + 1 < rows.pieces ? rows.begin[piece + 1] : rows.end;
    return {rows.template row<T>(row, task.width) - number * task.width, bounded(number - (row - rows.begin[piece])),
            bounded(number + (end - row))};
  }
  static __device__ __forceinline__ i32 bounded(i64 number) {
    return static_cast<i32>(number < -(1 << 30) ? -(1 << 30) : number > 1 << 30 ? 1 << 30 : number);
  }
};

}  // namespace terrace::stencil
