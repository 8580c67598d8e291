// The arguments of the kernels of a cluster: nodes of one shape whose rows are made together.
#pragma once

#include "kernels/graph/clusters/sizes.hpp"
#include "kernels/graph/cuda/work.hpp"

namespace terrace::graph {

/// The most values that a cluster reads, those that it leaves in memory, and pieces of a value.
inline constexpr i32 most_cluster_reads = 12, most_cluster_made = 8, most_pieces = 3;

/// Rows [rows.begin, rows.end) of a value in memory.
struct ClusterPiece {
  Range rows;
  RowsInMemory memory;
};

/// A value that is made outside of the cluster.
struct ClusterRead {
  ClusterPiece pieces[most_pieces];  // the first one has all rows that are streamed; others may be empty
  i32 is_aligned;                    // not 0: the columns of a lane begin at a multiple of their size
  i32 input;                         // of an input that is looked through for NaN its number; -1: it is not read
};

/// Rows of a member that others read, or that are kept.
struct ClusterMade {
  Range rows;
  RowsInMemory memory;
  i32 is_aligned;
};

/// Areas of cells that depend on values outside of the arrays: above, below, left and right of the others.
inline constexpr i32 rim_bands = 4;

struct ClusterWork {
  GraphState* state;
  Shape shape;     // of all values
  Range rows;      // that are streamed: cells that depend on nothing outside of the arrays
  Range columns;   // of these cells
  i32 strip_rows;  // of a warp
  u32 across;      // warps next to one another
  u32 strips;      // warps below one another
  Area bands[rim_bands];
  Shape tiles[rim_bands];  // of a thread block
  const void* numbers;     // of all nodes of the graph, in the type of values
  ClusterRead reads[most_cluster_reads];
  ClusterMade made[most_cluster_made];
};

/// Threads of thread blocks.
inline constexpr u32 stream_threads = 32 * stream_warps, rim_threads = 256;

/// Tiles of a band of the rim, next to one another and in all.
TERRACE_HOST_DEVICE constexpr u32 tiles_along(const Range& range, i64 extent) {
  return range.size() <= 0 ? 0 : static_cast<u32>((range.size() + extent - 1) / extent);
}
TERRACE_HOST_DEVICE constexpr u32 tiles_of(const Area& band, const Shape& tile) {
  return tiles_along(band.rows, tile.rows) * tiles_along(band.columns, tile.columns);
}

}  // namespace terrace::graph
