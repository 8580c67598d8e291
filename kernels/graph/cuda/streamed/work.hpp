// The arguments of a launch that makes several steps of an iteration whose rows stream through registers.
#pragma once

#include "kernels/graph/cuda/work.hpp"

namespace terrace::graph {

inline constexpr int most_streamed_states = 4, most_streamed_constants = 8;

/// The sizes of a kernel.
struct StreamedSizes {
  i32 cells;    // of a row that a lane has
  i32 levels;   // steps that a warp makes
  i32 warps;    // of a thread block, at most
  i32 buffers;  // of what a warp hands on: 2, or 1 where all warps wait for one another before they write
  i32 beside;   // thread blocks that a multiprocessor has to hold
  i32 rows;     // that a warp takes between two barriers: 1 or 2
};

/// The rows that come in of an array.
struct StreamedRows {
  const void* first;  // row there.begin of the work
  i32 stride;         // elements from row to row
};

/// Some steps of an iteration, of some rows of the states.
struct StreamedWork {
  const GraphState* state;
  StreamedRows from[most_streamed_states + most_streamed_constants];  // states, then constants
  RowsInMemory to[most_streamed_states];
  Range rows;      // that are made
  Range there;     // of the states before, and of constants
  Shape shape;     // of all arrays
  i64 chunk_rows;  // of a thread block
  i32 tiles;       // of columns
  i32 steps;       // at most the levels of all warps of a thread block
  i32 is_aligned;  // not 0: all rows begin at multiples of 16 bytes
};

/// The shared memory of a kernel, in values: rings of rows of the constants and of the states that come in, and the
/// rows that a warp hands on to the next one.
struct StreamedLayout {
  i32 tile, states, constants, divisors, levels, warps, buffers, rows;

  TERRACE_HOST_DEVICE constexpr i32 depth() const { return levels * warps; }
  /// Batches of rows of the constants that are brought ahead: where reciprocals are made of them, one more.
  TERRACE_HOST_DEVICE constexpr i32 ahead() const { return divisors > 0 ? 2 : 1; }
  /// Values of a row in the ring of constants.
  TERRACE_HOST_DEVICE constexpr i32 ring_values() const { return (constants + divisors) * tile; }
  /// Rows of the ring: from the newest one that is brought to the last warp's oldest one.
  TERRACE_HOST_DEVICE constexpr i32 ring_rows() const { return depth() + (warps + ahead()) * rows - 1; }
  TERRACE_HOST_DEVICE constexpr i32 batch_values() const { return rows * states * tile; }
  TERRACE_HOST_DEVICE constexpr i32 input_at() const { return ring_rows() * ring_values(); }
  TERRACE_HOST_DEVICE constexpr i32 handed_on_at() const { return input_at() + buffers * batch_values(); }
  TERRACE_HOST_DEVICE constexpr i32 values() const { return handed_on_at() + buffers * (warps - 1) * batch_values(); }
  /// Columns of a tile that it makes, of a tile between others.
  TERRACE_HOST_DEVICE constexpr i32 useful() const { return tile - 2 * side(); }
  /// Columns at a side that other tiles make: whole chunks of 16 bytes of values of either type.
  TERRACE_HOST_DEVICE constexpr i32 side() const { return (depth() + 3) / 4 * 4; }
};

}  // namespace terrace::graph
