// The descriptor and the result of a block of a table with many dimensions.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::dp_table {

using device::i16;
using device::i32;
using device::i64;
using device::i8;
using device::u16;
using device::u32;
using device::u64;
using device::u8;

inline constexpr i32 most_dimensions = 32;
inline constexpr i32 most_sources = 128;  // of a block
inline constexpr i64 most_walked = 500;   // steps that a block goes back

/// The work of a block on its tile, other than taking one step: TableTask::pass.
enum Pass : i64 {
  all_steps = -1,  // makes the cells by all steps, or walks back
  no_step = -2,    // makes the cells as they are before the first step of a table of Order::unordered
};

/// A tile of a table whose first `whole` dimensions are cut into single indices, and the next one into ranges of rows
/// (Cut in table.hpp); or a walk back from a cell of it. A row is what has one index of that dimension: all indices
/// of the dimensions after it, in row-major order.
struct TableTask {
  i64 table;                    // number of the table among those of the kernel
  i64 prefix[most_dimensions];  // indices of the first `whole` dimensions
  i64 first_row, rows;          // the tile's rows
  void* cells;                  // of the tile, row-major
  i32* choice;                  // likewise; null: none is asked for
  /// Rows of other tiles that the block reads, by the number of the source (sources_of() in table.hpp): where those
  /// from `first_row` on begin, and where those before it end. Source 0 is of the tile's own prefix, of which only
  /// those before it are other tiles'. Null: no step leads there.
  ///
  /// In a block of one step, source 0 is that step's, and source[0] is null if it leads to the tile's own prefix.
  const void* source[most_sources];
  const void* before[most_sources];
  i64 walk_from;  // a cell of the tile, by its index in the tile: the block walks back from it; -1: it makes the tile
  i64 pass;       // the step that all cells take, by its number in the job; or a Pass
};

struct TableResult {
  i64 last;          // value of the tile's last cell, for integers
  double last_real;  // for other types
  i64 best;          // the largest value of the tile's cells, of max, for integers
  double best_real;  // for other types
  i64 best_cell;     // the first cell with that value, by its index in the tile; -1: none, or not of max
  i64 overflow;      // the first cell of the tile whose count leaves the type, by its index in the tile; -1: none
  i64 walked;        // steps that the walk went back, listed in `step` by their numbers in the job
  i64 state;         // of the walk: WalkState
  i32 step[most_walked];
};

enum WalkState : i64 {
  walk_leaves = 0,       // it goes on from the cell where these steps lead, often in another tile
  walk_ends = 1,         // at the cell of all zeros
  walk_unreachable = 2,  // no step leads to the cell where it begins
};

}  // namespace terrace::dp_table
