// Constant arrays as the levels of a kernel that streams rows read them: from memory, 16 bytes at a time
// where rows begin at multiples of them.
#pragma once

#include "kernels/stencil/cuda/common/arrays.cuh"
#include "kernels/stencil/cuda/common/windows.hpp"
#include "kernels/stencil/cuda/rows/tile.cuh"

namespace terrace::stencil {

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
    return row_index(task, first_row + number);
  }
  __device__ __forceinline__ i64 column_of(const typename S::Task& task, i32 cell) const {
    const i64 at = first_column + cell;
    return at < 0 ? at + task.width : at >= task.width ? at - task.width : at;
  }
};

/// The values of a lane's cells in constant arrays.
template <class S>
class LaneArrays {
  using T = typename S::Value;
  using Task = typename S::Task;

 public:
  /// Takes a row's cells of the lane, of all arrays. @param is_first true if no level has read the row before
  static __device__ __forceinline__ void load_row(const Task& task, const typename S::Columns& columns, i32 row,
                                                  bool is_first, T (&values)[S::arrays][S::cells]) {
#pragma unroll
    for (i32 n = 0; n < S::arrays; ++n) {
      if (FormulaArrays::is_addition(n) && !S::adds) continue;
      if (S::adds && task.array[n] < 0) continue;
      const ArrayPlace<T>& place = ArrayPlaces<S>::with_row(task, n, row);
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
};

}  // namespace terrace::stencil
