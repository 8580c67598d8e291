// The common parts of kernels that stream rows (kernel.cuh): sizes, the tile of a thread block, rows and their rims.
#pragma once

#include "kernels/device/warp.cuh"
#include "kernels/stencil/cuda/common/chunk.cuh"
#include "kernels/stencil/cuda/common/state_kernel.cuh"
#include "kernels/stencil/cuda/rows/task.hpp"

namespace terrace::stencil {

using device::u32;

/// A row in memory; those from the next one on follow it, up to row `end`.
template <class T>
struct StreamPlace {
  T* row = nullptr;
  i32 end = 0;
};

/// The tile and the chunk of a thread block, in shared memory. Rows are counted from the first one that is read on,
/// and cells from the tile's begin.
struct alignas(16) StreamTile {
  i64 first_row, first_column;  // of the grid; those of periodic axes may be below 0
  i32 count, batches;           // rows to make; batches of all rows that are read
  i32 first_written;            // number of the first row that is written among those that the last warp hands on
  i32 useful_begin, useful;     // cells of a row that are written: the first one, and how many
  i32 before, beyond;           // cells [0, before) and from beyond on lie beyond periodic columns' ends: one of them
  i32 low, high;                // rows below `low` and from `high` on are within the radius of an end
  i32 at_left, at_right;        // not 0: the tile ends at the grid's end
};

/// Signals between the first and the last warp and the one that moves values, in shared memory: a phase a batch that
/// a slot has had.
template <i32 slots, i32 output_slots>
struct alignas(16) StreamSignals {
  device::Phases brought[slots];
  device::Phases taken[slots];             // by the first warp
  device::Phases handed_on[output_slots];  // by the last warp
  device::Phases written[output_slots];
};

/// The memory of batches of a field that follow one another, up to batch `end`: of the first cell of a batch's first
/// row.
template <class T>
struct alignas(16) BulkRun {
  T* row;  // null: these batches are not written
  i32 end;
};

/// The same for bulk copies by the first and the last warp.
template <class T, i32 slots, i32 fields>
struct alignas(16) BulkSignals {
  device::Arrivals arrived[slots];
  BulkRun<T> from[fields], to[fields];  // of the next batch that the first warp brings, and the last one writes
};
template <class T, bool by_bulk, i32 slots, i32 output_slots, i32 fields>
struct SignalsOf {
  using Type = StreamSignals<slots, output_slots>;
};
template <class T, i32 slots, i32 output_slots, i32 fields>
struct SignalsOf<T, true, slots, output_slots, fields> {
  using Type = BulkSignals<T, slots, fields>;
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

  static constexpr bool by_bulk = sizes.moving == measured::Moving::bulk;  // else by values

  // Shared memory, in chunks of 16 bytes. A batch has `rows` rows of each field.
  static constexpr i32 chunk = 16 / sizeof(T), chunks = tile / chunk, lane_chunks = cells / chunk;
  static constexpr i32 batch_chunks = rows * fields * chunks;
  static constexpr i32 input_at = 0, hand_on_at = slots * batch_chunks;
  static constexpr i32 output_slots = 2, output_at = hand_on_at + 2 * (warps - 1) * batch_chunks;
  static constexpr i32 signals_at = output_at + output_slots * batch_chunks;
  using Signals = typename SignalsOf<T, by_bulk, slots, output_slots, fields>::Type;
  static constexpr i32 tile_at = signals_at + sizeof(Signals) / 16;
  static constexpr i32 shared_bytes = 16 * tile_at + sizeof(StreamTile);

  /// The slot of a batch from memory, the place of what a warp hands on to the next one in a tick, and of what the
  /// last one hands on to memory.
  static __device__ __forceinline__ i32 input_at_slot(i32 batch) {
    return input_at + (batch & (slots - 1)) * batch_chunks;
  }
  static __device__ __forceinline__ i32 handed_on_at(i32 warp, i32 tick) {
    return hand_on_at + (2 * warp + (tick & 1)) * batch_chunks;
  }
  static __device__ __forceinline__ i32 output_at_slot(i32 batch) {
    return output_at + (batch & (output_slots - 1)) * batch_chunks;
  }
  /// The place of a row in a batch.
  TERRACE_HOST_DEVICE static constexpr i32 row_at(i32 field, i32 row) { return (row * fields + field) * chunks; }

  static __device__ __forceinline__ i32 lane() { return static_cast<i32>(threadIdx.x % 32); }
  /// Warps that make levels. One more may move rows.
  static __device__ __forceinline__ i32 level_warps() {
    return static_cast<i32>(blockDim.x / 32) - (by_bulk ? 0 : 1);
  }
  /// Rows above the chunk that are read, and cells of the tile at a side that are not made: whole chunks.
  static __device__ __forceinline__ i32 halo() { return lag * level_warps(); }
  static __device__ __forceinline__ i32 side() { return (halo() + chunk - 1) / chunk * chunk; }

  static_assert(levels * warps <= most_steps_at_once);
  static_assert(radius <= cells && cells % chunk == 0 && (slots & (slots - 1)) == 0 && slots >= 2);
};

/// The place of chunk `number` of a lane's in a row that warps hand on: lanes that read their own chunks at once meet
/// in no bank. Rows that come from memory and go there are in their order.
template <class S>
__device__ __forceinline__ i32 place_of_chunk(i32 lane, i32 number, bool in_order) {
  constexpr i32 divisor = S::lane_chunks & -S::lane_chunks;  // the largest power of two
  const i32 place = lane * S::lane_chunks;
  if (divisor == 1 || in_order) return place + number;
  return place + (number ^ (lane * S::lane_chunks >> 3 & (divisor - 1)));
}

/// The row of the grid that is read as row `number` of a tile.
template <class Task>
__device__ __forceinline__ i64 row_read(const Task& task, const StreamTile& tile, i32 number) {
  return task.row_there(tile.first_row + number);
}
/// The row of the grid that is written as row `number` of a chunk.
template <class S>
__device__ __forceinline__ i64 row_written(const StreamTile& tile, i32 number) {
  return tile.first_row + S::halo() + number;
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
