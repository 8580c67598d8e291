// The memory that the warps of a march share (march_kernel.cuh), and its layout.
#pragma once

#include "kernels/nest/written/work.hpp"

namespace terrace::nest {

/// A march of a block of a nest with 2 or 3 coordinates. The last coordinate is marched; the one before lies across
/// the lanes of a warp, some rows a lane; the first of 3 is cut into groups of levels.
struct MarchWork {
  TileWork block;  // begin, end, inputs, before, after
  i64 groups;      // of levels; 1 of 2 coordinates
  i64 bands;       // of rows, a warp each
  i64 chunks;      // of columns; a lane makes one in a step
  i64 steps;       // of a band: lane n is n chunks behind lane 0
  i64 rings;       // groups that may be under way at a time
  u64* ticket;
  u64* finished;         // bands of all groups that have had the same place in the ring
  u64* progress;         // steps that are done, counted over groups, a band of a place in the ring each
  u64* border;           // rows of tagged words between bands, one a place in the ring
  i64 border_words;      // of all rows
  unsigned char* plane;  // the last levels of the groups before, as the lanes that make them read them
  i64 plane_values;      // of a level of a statement
  const Word* before[most_coordinates];  // copies of the block's faces
};

inline constexpr int march_threads = 128, march_lanes = 32;
/// Bands of a group that are taken before the next group's first one.
inline constexpr i64 march_group_lag = 16;
/// Values of a type side by side that are moved at once, of a chunk of columns.
TERRACE_HOST_DEVICE constexpr int march_piece_values(int bytes, int columns) {
  return columns % 4 == 0 && bytes <= 4 ? 4 : columns % 2 == 0 ? 2 : 1;
}
/// Steps for which values of the group before are brought into shared memory ahead. @param pieces of a lane, each of
/// which takes 16 bytes. Not measured.
TERRACE_HOST_DEVICE constexpr int march_planes_ahead(int pieces) { return pieces <= 8 ? 3 : pieces <= 16 ? 1 : 0; }
/// Steps of a band from one report to the group after it to the next.
inline constexpr i64 march_report_steps = 8;

}  // namespace terrace::nest
