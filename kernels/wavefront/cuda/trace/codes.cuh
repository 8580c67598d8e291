// The codes of cells that are walked back through, four bits a cell: the pieces of a table that have codes, and their
// places in device memory.
//
// Each piece has its buffer for codes, which it shares with pieces that are further away; codes that are there
// already, from a walk before, are not computed again. The codes that a warp makes in a step lie side by side.
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/trace.hpp"

namespace terrace::wavefront {

using device::u16;

inline constexpr int trace_lane_rows = 4;  // the codes of a lane's rows in one column fill 16 bits
inline constexpr int trace_band_rows = 32 * trace_lane_rows;
inline constexpr int trace_step_bytes = 32 * static_cast<int>(sizeof(u16));

/// Whose codes are in a buffer: the first `rows` x `columns` cells of the piece that begins at (row, column).
struct TraceCodes {
  i64 row, column, rows, columns;
};

/// State of the walk in progress, in device memory; all zero at the start of a launch.
template <class Task>
struct TraceSlot {
  Task task;
  u32 finished;  // tickets of bands
};

/// Arguments of the kernel. @tparam Task the kind of task, which determines the form of borders
template <class Task>
struct TraceArguments {
  device::Launch launch;  // its slots: 1
  TraceSlot<Task>* slot;
  u64* rows;          // tagged, one a buffer
  TraceCodes* known;  // of each buffer, kept from launch to launch
  u16* codes;         // [buffer][band][step][lane]; a lane's first row in the lowest bits
  i64 row_words;      // of a tagged row
  i64 band_steps;     // steps of a band, at most
  u32 bands;          // of a piece, at most
  u32 buffers;        // of codes of a piece each
  Stored border;
  Matrix matrix;  // scores of letters, for problems that have one
};

/// The part of a piece whose codes are needed. Empty if there is none.
struct TraceExtent {
  TracePiece piece;
  i32 rows, columns;

  __device__ u32 bands() const { return static_cast<u32>((rows + trace_band_rows - 1) / trace_band_rows); }
};

/// The piece that a path is in, up to the path's place; empty if that is outside the task's box.
template <class Task>
__device__ TraceExtent extent_at(const Task& task, const PathPlace& place) {
  if (place.ended || place.row <= task.row_begin || place.column <= task.column_begin) return {{0, 0}, 0, 0};
  const TracePiece piece = trace_piece(task, place);
  return {piece, static_cast<i32>(place.row - piece.row), static_cast<i32>(place.column - piece.column)};
}

/// The piece that is `ahead` pieces after the piece of the task's place, along its diagonal.
template <class Task>
__device__ TraceExtent extent_ahead(const Task& task, u32 ahead) {
  const TraceExtent first = extent_at(task, task.place);
  if (ahead == 0 || first.rows == 0) return first;
  const i64 diagonal = task.place.column - task.place.row;
  TracePiece piece = first.piece;
  for (u32 n = 0; n < ahead; ++n) {
    if (piece.row + diagonal > piece.column) piece.row -= task.cell_rows;
    else piece.column -= task.cell_columns;
  }
  if (piece.row < task.row_begin || piece.column < task.column_begin) return {{0, 0}, 0, 0};
  return {piece, static_cast<i32>(minimum(task.cell_rows, task.row_end - piece.row)),
          static_cast<i32>(minimum(task.cell_columns, task.column_end - piece.column))};
}

/// Buffer of the codes of a piece: consecutive pieces on a diagonal have different buffers.
template <class Task>
__device__ u32 buffer_of(const TraceArguments<Task>& a, const Task& task, const TracePiece& piece) {
  const i64 down = (piece.row - task.row_begin) / task.cell_rows;
  const i64 across = (piece.column - task.column_begin) / task.cell_columns;
  return static_cast<u32>((down + across) % a.buffers);
}
template <class Task>
__device__ u16* codes_of(const TraceArguments<Task>& a, u32 buffer, u32 band) {
  return a.codes + (static_cast<i64>(buffer) * a.bands + band) * a.band_steps * 32;
}

/// True if the codes of a piece are in its buffer.
template <class Task>
__device__ bool is_known(const TraceArguments<Task>& a, const Task& task, const TraceExtent& extent) {
  const i64* known = reinterpret_cast<const i64*>(a.known + buffer_of(a, task, extent.piece));
  return device::load_past_l1(known) == extent.piece.row && device::load_past_l1(known + 1) == extent.piece.column &&
         device::load_past_l1(known + 2) >= extent.rows && device::load_past_l1(known + 3) >= extent.columns;
}

}  // namespace terrace::wavefront
