// Bands of problems with a window: the part of a band that lies in it.
#pragma once

#include "kernels/wavefront/cuda/bands/table_piece.cuh"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

/// Row minus column, in the table, of the band's row 0 and its column 0.
__device__ inline i64 diagonal_of(const KernelBand& band) {
  return band.task.row_begin + band.first_row - band.task.column_begin;
}

/// Columns above which the row border lies in the window, at most `width`. @param diagonal of the band
__device__ inline i32 columns_under_window(i64 diagonal, i64 window, i32 width) {
  const i64 columns = diagonal + window;
  return static_cast<i32>(maximum(i64(0), minimum(columns, static_cast<i64>(width))));
}

/// `array` with its first `elements` left out; null stays null.
__device__ inline const void* past(const void* array, i64 elements, Stored type) {
  i64 bytes = 0;
  dispatch_stored(type, [&]<class T>(T) { bytes = elements * static_cast<i64>(sizeof(T)); });
  return array ? static_cast<const device::u8*>(array) + bytes : nullptr;
}

/// Fills columns [begin, end) of the band's rows of the table with infinity. All lanes call it.
template <class V>
__device__ __noinline__ void fill_columns(const SweepArguments& a, const KernelBand& band, i64 begin, i64 end) {
  for (int row = 0; row < band.rows; ++row) {
    const i64 from = (band.first_row + row) * band.task.table_stride;
    for (i64 column = begin + lane_index(); column < end; column += 32) {
      store_cell(a.table, band.task.table, from + column, V(infinity), 1.0);
    }
  }
}

/// Makes of the band one of columns [start, end) of its block, `start` a multiple of `piece`.
template <class V>
__device__ void cut_band(const SweepArguments& a, KernelBand& band, i64 start, i64 end) {
  BlockTask& task = band.task;
  if (end < band.width && a.border_columns == 0) task.right = nullptr;
  if (start > 0) task.left = nullptr;
  task.columns = static_cast<const V*>(task.columns) + start;
  task.top = past(task.top, start, a.border);
  task.bottom = const_cast<void*>(past(task.bottom, start, a.border));
  task.table = const_cast<void*>(past(task.table, start, a.table));
  task.column_begin += start;
  band.start = static_cast<i32>(start);
  band.width = static_cast<i32>(end - start);
}

/// Cuts the band to the columns that meet the window, and fills the table's others. Columns left and right of the cut
/// are outside the window for all who need them. False if no column is left. All lanes call it.
template <class V>
__device__ bool cut_to_window(const SweepArguments& a, KernelBand& band, i64 window) {
  const i64 width = band.width;
  if (width == 0 || band.rows == 0) return true;
  const i64 origin = band.task.column_begin, row = band.task.row_begin + band.first_row;
  const ColumnRange columns = columns_in_window(window, row, row + band.rows, origin, origin + width);
  const bool any = columns.begin < columns.end;
  const i64 start = any ? (columns.begin - origin) / piece * piece : width;
  const i64 end = any ? columns.end - origin : width;
  if (band.task.table) {
    fill_columns<V>(a, band, 0, start);
    fill_columns<V>(a, band, end, width);
  }
  __syncwarp();
  if (any && lane_index() == 0) cut_band<V>(a, band, start, end);
  __syncwarp();
  return any;
}

}  // namespace terrace::wavefront
