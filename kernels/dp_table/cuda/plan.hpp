// A table as it is prepared for its CUDA kernels: the shape of sub-blocks, and lists by levels.
#pragma once

#include <vector>

#include "kernels/dp_table/cuda/cut.hpp"
#include "kernels/dp_table/cuda/layout.hpp"
#include "kernels/dp_table/step_table.hpp"

namespace terrace::dp_table {

/// Places of the lists of CellOrder in a workspace.
struct OrderPlaces {
  std::size_t cells = 0, masks = 0, levels = 0;
};
/// Places of a table's lists in a workspace, in bytes from its begin.
struct TablePlaces {
  std::size_t steps = 0, groups = 0, cells = 0, blocks = 0, block_levels = 0, places = 0, place_levels = 0,
              by_dimension = 0, reorganised = 0, bytes = 0;
  OrderPlaces order, needed_order;
};

/// A full tile of a table, as its slabs are chosen for it.
struct FullTile {
  explicit FullTile(const Table& table, const StepTable& steps);

  std::vector<i64> extents;                // of the dimensions from table.cut.whole on
  bool in_ranges = false;                  // its first dimension is cut into rows
  bool closed = false;                     // steps beside which a longer one fits are not needed (closed_steps())
  std::vector<StepComponents> components;  // of the entries of `steps`
  i64 cell_bytes = 0;                      // of shared memory, for a slab's cell: its state and its value
};

struct TableLists;

/// A table of a kernel.
struct TablePlan {
  explicit TablePlan(const Table& table);

  /// A tile's cut and its lists, at `places` of the workspace.
  TableLayout layout(const TableLists& lists, const unsigned char* workspace) const;
  Words pack(const std::vector<i64>& index) const;

  Table table;
  StepTable steps;
  std::vector<i64> extents, strides;  // of a full tile; dimensions from table.cut.whole on
  bool closed =
      false;  // true if a step is not needed for a cell that a longer one fits, unless choices are asked for
  TileCut cut;
  std::vector<DeviceStep> outer, inner;  // the outer ones by groups, of the inner ones first those needed most
  std::vector<std::vector<Words>>
      longer;             // of each inner step, if the table is closed: the steps that are one longer
  i64 uniform_count = 0;  // outer steps that lead back by the same distance from all cells of a slab
  std::vector<StepGroup> groups;
  i64 early_groups = 0;  // the first ones, of steps that lead back by two levels of slabs at least
  i64 block_count = 1, block_levels = 1, place_levels = 1;
  TablePlaces places;
};

/// The lists of CellOrder.
struct SlabOrder {
  std::vector<i32> cells, levels;
  std::vector<u32> masks;
  i32 widest_level = 1;
};

/// The lists of a plan.
struct TableLists {
  explicit TableLists(const TablePlan& plan);

  std::vector<Words> cells;
  SlabOrder order, needed_order;  // the latter empty unless the table is closed
  std::vector<SubBlock> blocks;
  std::vector<u64> block_levels;
  // Empty save for the blocks of Algorithm 5:
  std::vector<CellPlace> places;
  std::vector<i32> place_levels;
  std::vector<i64> by_dimension;  // what each index of each dimension adds to a cell's place

 private:
  void cut_slabs(const TablePlan& plan);
  SlabOrder order_cells(const TablePlan& plan, bool needed) const;
  void cut_partitions(const TablePlan& plan);
};

}  // namespace terrace::dp_table
