// A table as it is prepared for its CUDA kernels: the shape of sub-blocks, and lists by levels.
#pragma once

#include <vector>

#include "kernels/dp_table/cuda/layout.hpp"
#include "kernels/dp_table/step_table.hpp"

namespace terrace::dp_table {

/// The way in which a tile is cut for thread blocks.
struct TileCut {
  std::vector<i64> shape;  // cells of a sub-block
  i64 line_cells = 1;      // of a line
  int ways = 1;            // warps that share the steps of a cell
};

/// Cells of a line along a dimension of that extent: as many lanes of a warp as can be have one.
i64 line_cells_of(i64 extent);

/// The cut for which the model of time in cut.cpp gives the least.
/// @param extents of a full tile @param rows_are_single true if sub-blocks must not have several rows
TileCut choose_cut(const std::vector<i64>& extents, i64 steps, bool rows_are_single);

/// Places of a table's lists in a workspace, in bytes from its begin.
struct TablePlaces {
  std::size_t steps = 0, inner = 0, inner_begin = 0, lines = 0, line_levels = 0, blocks = 0, block_levels = 0,
              places = 0, reorganised = 0, bytes = 0;
};

/// A table of a kernel.
struct TablePlan {
  explicit TablePlan(const Table& table);

  /// A tile's cut and its lists, at `places` of the workspace.
  TableLayout layout(const unsigned char* workspace) const;
  Words pack(const std::vector<i64>& index) const;

  Table table;
  StepTable steps;
  std::vector<i64> extents, strides;  // of a full tile; dimensions from table.cut.whole on
  bool closed =
      false;  // true if a step is not needed for a cell that a longer one fits, unless choices are asked for
  TileCut cut;
  std::vector<DeviceStep> outer;
  std::vector<InnerStep> inner;
  std::vector<i32> inner_begin;
  i64 line_count = 1, line_levels = 1, block_count = 1, block_levels = 1;
  TablePlaces places;
};

/// The lists of a plan.
struct TableLists {
  explicit TableLists(const TablePlan& plan);

  std::vector<LinePlace> lines;
  std::vector<i32> line_levels;
  std::vector<SubBlock> blocks;
  std::vector<u64> block_levels;
  std::vector<i64> places;  // of partitioned tables: what each index of each dimension adds to a cell's place
};

}  // namespace terrace::dp_table
