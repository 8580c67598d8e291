// Writing a band's cells from shared memory into the table.
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"

namespace terrace::wavefront {

/// Columns that are taken and stored at a time; as many as a warp has lanes.
inline constexpr int piece = 32;

/// The cells of two pieces of a band of 32 x R rows: [row][column % 64].
template <class V, int rows>
using TableCells = V[rows][2 * piece];

/// Four 32-bit cells of a row a lane.
template <class V, int rows>
__device__ void store_quads(const KernelBand& band, const TableCells<V, rows>& cells, i32* table, i32 first,
                            int lane) {
  const int column = lane % 8 * 4;
  const int from = (first + column) & (2 * piece - 1);
  const int4* row = reinterpret_cast<const int4*>(&cells[lane / 8][from]);
  constexpr int quads_of_row = sizeof(cells[0]) / sizeof(int4);
  i32* to = table + (band.first_row + lane / 8) * band.task.table_stride + first + column;
  const i64 step = 4 * band.task.table_stride;
  if (band.rows < rows) {
    for (i32 left = band.rows - lane / 8; left > 0; left -= 4, row += 4 * quads_of_row, to += step) {
      device::store_once(to, reinterpret_cast<const u32*>(row));
    }
    return;
  }
  constexpr int batch = 8;  // loaded before they are stored, which nothing may pass
#pragma unroll 1
  for (int done = 0; done < rows; done += 4 * batch, row += 4 * batch * quads_of_row) {
    int4 quads[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) quads[i] = row[4 * i * quads_of_row];
#pragma unroll
    for (int i = 0; i < batch; ++i, to += step) device::store_once(to, reinterpret_cast<const u32*>(&quads[i]));
  }
}

/// One 32-bit cell of a row a lane.
template <class V, int rows>
__device__ void store_words(const KernelBand& band, const TableCells<V, rows>& cells, V* table, i32 first, int lane) {
  if (first + lane >= band.width) return;
  const int from = (first + lane) & (2 * piece - 1);
  V* to = table + band.first_row * band.task.table_stride + first + lane;
#pragma unroll 8
  for (int row = 0; row < rows; ++row, to += band.task.table_stride) {
    if (row < band.rows) *to = cells[row][from];
  }
}

/// Stores the columns of piece p, four cells at a time if they have 32 bits and are aligned.
template <class V, int R>
__device__ void store_table_piece(const SweepArguments& a, const KernelBand& band, const TableCells<V, 32 * R>& cells,
                                  i32 p, int lane) {
  void* table = band.task.table;
  if (!table) return;
  const i32 first = p * piece;
  const i64 stride = band.task.table_stride;
  if constexpr (sizeof(V) == sizeof(i32)) {
    const bool aligned = reinterpret_cast<u64>(table) % 16 == 0 && stride % 4 == 0;
    if (a.table == own_type<V> && aligned && first + piece <= band.width) {
      return store_quads<V, 32 * R>(band, cells, static_cast<i32*>(table), first, lane);
    }
    if (a.table == own_type<V>) return store_words<V, 32 * R>(band, cells, static_cast<V*>(table), first, lane);
  }
  if (first + lane >= band.width) return;
  const int column = (first + lane) & (2 * piece - 1);
  for (int row = 0; row < band.rows; ++row) {
    store_cell(a.table, table, (band.first_row + row) * stride + first + lane, cells[row][column], a.scale);
  }
}

}  // namespace terrace::wavefront
