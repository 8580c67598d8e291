// How the way back through a table is planned: which borders are kept, level by level.
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
  std::int64_t block_rows = 1;  // of the blocks of its sweep: cell_rows, or a multiple; they are cell_columns wide

  /// Borders kept inside a box, at most.
  std::int64_t kept_rows() const { return (rows - 1) / cell_rows; }
  std::int64_t kept_columns() const { return (columns - 1) / cell_columns; }
  /// Values of a plane of a column border inside a box: a corner before each block's rows.
  std::int64_t column_length() const { return rows + (rows + block_rows - 1) / block_rows; }
};

/// Two levels at least. The cells of the last one are small enough that every cell's code is kept while the path is
/// walked.
struct AlignmentPlan {
  std::vector<AlignmentLevel> levels;
};

/// What the way back computes again, as if the path went from corner to corner of the table.
struct WayBack {
  double swept = 0, walked = 0;  // cells, in blocks and where the path is walked
  std::int64_t blocks = 0;
};
WayBack way_back(const AlignmentPlan& plan);

/// What the device sets.
struct AlignmentLimits {
  std::int64_t cell_rows, cell_columns;    // of a cell of the last level, at most
  std::int64_t table_rows, table_columns;  // of a cell of the first level, at least, where memory allows
  /// Where cells of the first level are so many rows high, or a multiple, their blocks are as high as memory allows;
  /// 0: every row of cells is a row of blocks.
  std::int64_t border_rows;
};
/// @param inside whether blocks may keep row borders inside
AlignmentLimits alignment_limits(const Resources& resources, bool inside);

/// Bytes that the largest block of the plan holds in the memory of its device.
std::int64_t block_bytes(const TableNeed& need, const AlignmentPlan& plan);

/// A plan whose borders are linear in the lengths of the table's sides: of the first level at most 64 each way are
/// kept, so long as memory allows.
/// @param inside whether blocks may keep row borders inside @param workspace bytes of device memory that kernels need
/// beside, at most
/// @throws JobError naming the least budget where not even the smallest plan fits
AlignmentPlan plan_alignment(const TableNeed& need, const Resources& resources, bool inside,
                             const std::function<std::int64_t(const AlignmentPlan&)>& workspace);

}  // namespace terrace::stages
