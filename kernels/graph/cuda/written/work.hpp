// The arguments of a launch that makes cells of a formula.
#pragma once

#include "kernels/graph/cuda/work.hpp"

namespace terrace::graph {

/// Arrays that a formula reads, and values that it makes of a cell, at most.
inline constexpr int most_sources = 24, most_results = 16;

/// An array as a formula reads it.
struct WorkSource {
  RowsInMemory inside;        // all rows inside of the array that are read
  RowsInMemory above, below;  // the rows that are read for those above the first one, and below the last one
  Boundary boundary;
  double boundary_value;
};

/// Some rows of the results of a formula. Any of them may be made alone.
struct WrittenWork {
  const GraphState* state;
  RowsInMemory made[most_results];
  WorkSource sources[most_sources];
  Range rows;
  Shape shape;  // of all arrays
  Area inner;   // the cells that read nothing outside of the sources
};

/// The cells of a thread, a warp apart in a row.
struct WrittenTile {
  u32 rows, columns;

  TERRACE_HOST_DEVICE constexpr u32 warp_columns() const { return 32 * columns; }
};

inline constexpr u32 written_threads = 256, written_warps = written_threads / 32;

/// Thread blocks of a multiprocessor that registers must allow: loads of many warps hide their latency. Not measured.
TERRACE_HOST_DEVICE constexpr int written_blocks(i32 operations) { return operations > 64 ? 1 : 5; }

/// Neighbourhoods share values from row to row. A long formula is made once. Not measured.
TERRACE_HOST_DEVICE constexpr WrittenTile written_tile(bool reaches, i32 operations) {
  return operations > 64 ? WrittenTile{1, 1} : reaches ? WrittenTile{4, 1} : WrittenTile{1, 4};
}

}  // namespace terrace::graph
