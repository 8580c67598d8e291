// Writing a band's cells from shared memory into the table.
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"

namespace terrace::wavefront {

/// Columns that are taken and stored at a time; as many as a warp has lanes.
inline constexpr int piece = 32;

/// Four 32-bit cells of a row a lane.
template <class V, int rows, int columns>
__device__ void store_quads(const KernelBand& band, const V (&cells)[rows][columns], int at, i32* table, i32 first,
                            int lane) {
  const int column = lane % 8 * 4;
  const int4* row = reinterpret_cast<const int4*>(&cells[lane / 8][at + column]);
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
template <class V, int rows, int columns>
__device__ void store_words(const KernelBand& band, const V (&cells)[rows][columns], int at, V* table, i32 first,
                            int lane) {
  if (first + lane >= band.width) return;
  V* to = table + band.first_row * band.task.table_stride + first + lane;
#pragma unroll 8
  for (int row = 0; row < rows; ++row, to += band.task.table_stride) {
    if (row < band.rows) *to = cells[row][at + lane];
  }
}

/// Stores a piece of a band of 32 x R rows, four cells at a time if they have 32 bits and are aligned.
/// @param at column of `cells` with which the piece begins @param first the same in the band
template <class V, int R, int columns>
__device__ void store_table_piece(const SweepArguments& a, const KernelBand& band, const V (&cells)[32 * R][columns],
                                  int at, i32 first, int lane) {
  void* table = band.task.table;
  if (!table) return;
  const i64 stride = band.task.table_stride;
  if constexpr (sizeof(V) == sizeof(i32)) {
    const bool aligned = reinterpret_cast<u64>(table) % 16 == 0 && stride % 4 == 0;
    if (a.table == own_type<V> && aligned && first + piece <= band.width) {
      return store_quads(band, cells, at, static_cast<i32*>(table), first, lane);
    }
    if (a.table == own_type<V>) return store_words(band, cells, at, static_cast<V*>(table), first, lane);
  }
  if (first + lane >= band.width) return;
  for (int row = 0; row < band.rows; ++row) {
    store_cell(a.table, table, (band.first_row + row) * stride + first + lane, cells[row][at + lane], a.scale);
  }
}

}  // namespace terrace::wavefront
