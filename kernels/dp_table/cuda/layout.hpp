// A table as its CUDA kernels read it: lists in device memory, and the work of one tile.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/dp_table/task.hpp"

namespace terrace::dp_table {

/// Packed components (Packed in step_table.hpp).
struct Words {
  u64 word[2];

  // No index that is not constant: words stay in registers.
  TERRACE_HOST_DEVICE u64 at(i32 number) const { return number == 0 ? word[0] : word[1]; }
  TERRACE_HOST_DEVICE void add(i32 number, u64 value) {
    word[0] += number == 0 ? value : 0;
    word[1] += number == 0 ? 0 : value;
  }
  TERRACE_HOST_DEVICE Words plus(const Words& other) const {
    return {{word[0] + other.word[0], word[1] + other.word[1]}};
  }
  /// True if `step` is at most this one in every component. Of this one the guard bits are 0; those of `step` may be
  /// set in components of less than twice the extent, which are then larger.
  TERRACE_HOST_DEVICE bool at_least(const Words& step, const Words& guards) const {
    const u64 first = (word[0] | guards.word[0]) - step.word[0], second = (word[1] | guards.word[1]) - step.word[1];
    return ((~first & guards.word[0]) | (~second & guards.word[1])) == 0;
  }
};

/// A step of a table.
struct DeviceStep {
  Words packed;
  Words cover;  // bits of the dimensions in which one more is a step of the table, too; 0: not to be used
  i64 offset;   // cells back, in row-major rows
  i64 rows;
  i64 whole_cost;
  double real_cost;
  i32 source, number;
};

/// A step along the last dimension that is shorter than a line.
struct InnerStep {
  i64 whole_cost;
  double real_cost;
  i32 along, number;
};

/// A line of a sub-block: cells side by side, of which lanes of a warp have one each. Relative to the sub-block.
struct LinePlace {
  Words packed;
  i64 offset;  // cells from the sub-block's first
};

/// A sub-block of a tile, relative to the tile.
struct SubBlock {
  Words low, high;  // its first and last cell, within a full tile
  i64 offset;       // cells from the tile's first
};

inline constexpr i32 most_line_cells = 32;

/// A table's lists, sorted by levels: what is of one level needs lower ones alone.
struct TableLayout {
  const DeviceStep* steps;  // those that lead out of a cell's line always
  const InnerStep* inner;   // the others, by their length
  const i32* inner_begin;   // most_line_cells + 1: the first one of each length
  const LinePlace* lines;
  const i32* line_levels;  // line_level_count + 1: the first line of each level
  const SubBlock* blocks;
  const u64* block_levels;  // block_level_count + 1: likewise
  u64 block_level_count;
  u64 block_count;
  i32 line_level_count;
  i32 step_count;
  i32 staged_count;   // of the steps, the first ones: they are prepared for a sub-block in shared memory
  i32 capacity;       // steps for which there is room there
  u32 inner_lengths;  // bit k: there is an inner step of length k
  i32 line_cells;     // of a full line
  i32 lines_along;    // of the last dimension
  i32 ways;           // warps that share the steps of a cell
  i32 dominated;      // not 0: a step is not needed where a longer one fits
  Words guards;
  i32 row_word, row_shift;  // the place of the dimension that is cut into rows
  u64 row_mask;
  i32 along_word, along_shift;  // the place of the last dimension
  u64 along_mask;
  i64 row_cells;
  i64 modulus, cap;
  i64 whole_cost;    // of every step, if it is one
  double real_cost;  // likewise
};

/// The work of one tile.
struct TileWork {
  TableTask task;
  TableLayout layout;
  Words first, last;  // of the tile's cells
  i64 last_cell;      // of the tile, by its index
  i32 has_zero;       // not 0: the tile's first cell is the cell of all zeros
  i32 mixed;          // not 0: rows are cells, and there are rows before the tile
};

}  // namespace terrace::dp_table
