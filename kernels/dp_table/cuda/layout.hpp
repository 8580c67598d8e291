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
  Words outer;  // without the components in the dimensions of a slab
  Words cover;  // bits of the dimensions before a slab's in which one more is a step of the table, too
  i64 offset;   // cells back, in row-major rows
  i64 rows;
  i64 whole_cost;
  double real_cost;
  i32 source, number;
  i32 group;
};

/// Outer steps that are alike in the dimensions of a slab.
struct StepGroup {
  Words inside;  // their components in these dimensions
  i32 crosses;   // not 0: only cells from which they leave the slab take them; from the others they are inner steps
  i32 unused;
};

/// A cell of a block of Algorithm 5, relative to the block's first.
struct CellPlace {
  Words packed;
  i64 offset;  // cells from the block's first
};

/// A slab, or a block of Algorithm 5, relative to the tile.
struct SubBlock {
  Words low, high;  // its first and last cell, within a full tile
  i64 offset;       // cells from the tile's first
  i64 cells;        // of a slab
};

/// The cells of a slab by levels: a cell's level is above those of the cells where its inner steps lead.
struct CellOrder {
  const i32* cells;   // their numbers in the slab
  const u32* masks;   // mask_words of each one of `cells`: the inner steps that it takes
  const i32* levels;  // level_count + 1: the first one of each level
  i32 level_count;
  i32 widest_level;  // cells of the largest one
};

/// A table's lists. What is sorted by levels: what is of one level needs lower ones alone.
///
/// A slab is a run of adjacent cells of a tile: single indices of the dimensions before the cut one, a range of
/// indices of the cut one, all indices of those after it. Outer steps lead out of the slab, inner ones to other cells
/// of it; a step along the cut dimension is both, for different cells.
struct TableLayout {
  const DeviceStep* steps;  // the outer ones by their groups, then the inner ones
  const StepGroup* groups;
  const Words* cells;       // of a full slab, relative to its first
  CellOrder order;          // of these cells
  CellOrder needed_order;   // likewise, without inner steps beside which a longer one fits the slab
  const SubBlock* blocks;   // by levels
  const u64* block_levels;  // block_level_count + 1: likewise
  const CellPlace* places;  // of Algorithm 5: the cells of a block by levels
  const i32* place_levels;  // place_level_count + 1: likewise
  u64 block_level_count;
  u64 block_count;
  i32 place_level_count;
  i32 slab_cells;  // of a full slab
  i32 step_count, inner_count;
  i32 group_count, mask_words;
  i32 early_group_count;  // of the groups, the first ones: their steps lead back by two levels of slabs at least
  i32 staged_count;       // of the outer steps, the first ones: they are prepared for a slab in shared memory
  i32 dominated;          // not 0: a step is not needed where a longer one fits
  Words guards;
  i32 row_word, row_shift;  // the place of the dimension that is cut into rows
  u64 row_mask;
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
};

}  // namespace terrace::dp_table
