// The levels of the way back through a table: which borders are kept, in ever smaller boxes.
#pragma once

#include <functional>
#include <vector>

#include "stages/wavefront/blocks.hpp"

namespace terrace::stages {

/// A grid of cells over a box, between whose rows and columns borders are kept. The boxes of a level are the cells
/// of the level above it; the box of the first level is the table.
struct AlignmentLevel {
  std::int64_t rows = 1, columns = 1;            // of a box, at most
  std::int64_t cell_rows = 1, cell_columns = 1;  // the last ones of a box may be smaller
  /// Size of the blocks of its sweep: one cell, or a grid of them; below the first level one cell, or the whole box.
  std::int64_t block_rows = 1, block_columns = 1;

  /// Borders kept inside a box, at most.
  std::int64_t kept_rows() const { return (rows - 1) / cell_rows; }
  std::int64_t kept_columns() const { return (columns - 1) / cell_columns; }
  /// True if a sweep of a box is one block of many cells.
  bool whole_box() const { return block_rows > cell_rows || block_columns > cell_columns; }
  /// Values of a plane of a column border inside a box: a corner before each cell's rows.
  std::int64_t column_length() const { return rows + (rows + cell_rows - 1) / cell_rows; }
};

/// Two levels at least. The cells of the last one are small enough that every cell's code is kept while the path is
/// walked.
using AlignmentLevels = std::vector<AlignmentLevel>;

/// The work of the way back, as if the path went from corner to corner of the table.
struct WayBack {
  double swept = 0, walked = 0;  // cells, in blocks and along the path
  std::int64_t blocks = 0;
};
WayBack way_back(const AlignmentLevels& levels);

/// Limits that follow from the device.
struct AlignmentLimits {
  std::int64_t cell_rows, cell_columns;    // of a cell of the last level, at most
  std::int64_t table_rows, table_columns;  // of a cell of the first level, at least, if memory allows
  /// If cells of the first level have so many rows, or a multiple, their blocks have as many rows of cells as memory
  /// allows, and columns in the same way; 0: every cell is a block.
  std::int64_t border_cell;
  /// True if boxes below the first level are swept as one block each.
  bool whole_boxes = false;
};
/// @param inside true if blocks may keep borders inside
AlignmentLimits alignment_limits(const Resources& resources, bool inside);

/// Values of a plane of the pieces of borders, of every level: a row border of the first level has one piece per
/// cell, a column border one per cell with its corner; borders of a box of a further level are no longer.
struct BorderPieces {
  std::int64_t row, column;
};
BorderPieces border_pieces(const AlignmentLevels& levels);

/// Bytes that the largest block holds in the memory of its device.
std::int64_t block_bytes(const TableNeed& need, const AlignmentLevels& levels);

/// Bytes that a device holds of a sweep over the table in strips, beside the kernel's workspace: of the blocks in
/// flight and of those whose right borders the next strip is yet to read.
std::int64_t strips_bytes(const TableNeed& need, const AlignmentLevels& levels);
/// True if the blocks of the first level are cells, or may be grids of them.
bool blocks_are_grids(const AlignmentLevels& levels);

/// Levels whose borders are linear in the lengths of the table's sides: of the first level at most 64 each way are
/// kept, so long as memory allows.
/// @param inside true if blocks may keep borders inside @param workspace additional bytes of device memory that
/// kernels need, at most
/// @throws JobError naming the least budget if not even the smallest cells fit
AlignmentLevels choose_levels(const TableNeed& need, const Resources& resources, bool inside,
                              const std::function<std::int64_t(const AlignmentLevels&)>& workspace);

}  // namespace terrace::stages
