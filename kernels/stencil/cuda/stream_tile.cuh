// What the kernels that stream rows share (stream_kernel.cuh): sizes, the tile of a thread block, rows and their
// rims.
#pragma once

#include "kernels/stencil/cuda/state_kernel.cuh"
#include "kernels/stencil/cuda/stream_task.hpp"

namespace terrace::stencil {

using device::u32;

/// The memory of rows that follow one another: row n is at `row_0` + n * width, for n below `end`.
template <class T>
struct alignas(16) StreamPlace {
  T* row_0;
  i32 end;
};

/// The tile and the chunk of a thread block, in shared memory: registers are for cells. Rows are counted from the
/// first one that is read on, and cells from the tile's begin.
template <class T, i32 fields>
struct alignas(16) StreamTile {
  StreamPlace<T> from[fields], to[fields];  // of the next row that is read, and written
  i64 first_row, first_column;              // of the grid; those of periodic axes may be below 0
  i32 count, batches;                       // rows to make; batches of all rows that are read
  i32 useful_begin, useful_end;             // cells that are written
  i32 before, beyond;                       // cells [0, before) and from beyond on lie beyond periodic columns' ends
  i32 low, high;                            // rows below `low` and from `high` on are within the radius of an end
  i32 at_left, at_right;                    // not 0: the tile ends at the grid's end
};

/// A kernel's sizes as constants.
template <class T, i32 fields_, i32 radius_, measured::StreamSizes sizes_>
struct StreamLayout {
  using Value = T;
  static constexpr i32 fields = fields_, radius = radius_;
  static constexpr measured::StreamSizes sizes = sizes_;
  static constexpr i32 cells = sizes.cells, levels = sizes.levels, warps = sizes.warps, rows = sizes.rows;
  static constexpr i32 slots = sizes.slots;
  static constexpr i32 tile = 32 * cells;
  static constexpr i32 lag = radius * levels;  // rows by which a warp's result is behind what it takes

  // Shared memory, in chunks of 16 bytes. A batch has `rows` rows of each field.
  static constexpr i32 chunk = 16 / sizeof(T), chunks = tile / chunk, lane_chunks = cells / chunk;
  static constexpr i32 batch_chunks = rows * fields * chunks;
  static constexpr i32 input_at = 0, hand_on_at = slots * batch_chunks;
  static constexpr i32 output_at = hand_on_at + 2 * (warps - 1) * batch_chunks;
  static constexpr i32 tile_at = output_at + batch_chunks;
  static constexpr i32 shared_bytes = 16 * tile_at + sizeof(StreamTile<T, fields>);

  static_assert(radius <= cells && cells % chunk == 0 && (slots & (slots - 1)) == 0 && slots >= 2);
};

/// 16 bytes of values.
template <class T>
struct alignas(16) StreamChunk {
  T values[16 / sizeof(T)];
};

/// The place of a row's chunk in shared memory: lanes that read their own chunks at once meet in no bank.
template <class S>
__device__ __forceinline__ i32 place_of_chunk(i32 chunk) {
  if constexpr (S::lane_chunks % 2 == 1) return chunk;
  else return chunk ^ (chunk >> 3 & (S::lane_chunks - 1));
}

/// The cells and rows near the grid's ends, counted as StreamTile counts them.
struct StreamRims {
  bool left, right;  // this lane's first or last cells are within the radius of an end
  i32 low, high;     // rows below `low` and from `high` on are
};

/// A row that a level takes.
struct StreamRow {
  i32 number;     // as StreamTile counts rows
  i32 turn;       // its number in the batch, known to the compiler
  i32 level;      // that is made of it, of the launch, from 0
  bool all_kept;  // true: the launch does not make that level: all cells keep their values
};

/// The columns of a lane, for levels that do not ask for them.
struct NoColumns {
  NoColumns() = default;
  template <class Task, class Tile>
  __device__ __forceinline__ NoColumns(const Task&, const Tile&) {}
};

}  // namespace terrace::stencil
