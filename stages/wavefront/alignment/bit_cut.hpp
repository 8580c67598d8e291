// The cut of an alignment table into blocks whose lines are kept as differences.
#pragma once

#include "stages/wavefront/alignment/levels.hpp"
#include "stages/wavefront/blocks.hpp"

namespace terrace::stages {

/// Blocks are grids of cells, between whose rows and columns lines are kept (bit_lines.hpp); the path is walked
/// through cells. Sides of cells are multiples of wavefront::word_cells, sides of blocks multiples of sides of cells;
/// the last ones of a table may be smaller.
struct BitAlignmentCut {
  std::int64_t cell_rows = 1, cell_columns = 1;
  std::int64_t block_rows = 1, block_columns = 1;

  /// Lines that a block keeps, and words of a plane of each.
  std::int64_t row_lines() const { return block_rows / cell_rows; }
  std::int64_t column_lines() const { return block_columns / cell_columns; }
  std::int64_t row_words() const;
  std::int64_t column_words() const;
};

/// Cells whose ways are computed at a time on CUDA, by their columns: one if memory is short, so that they are
/// narrow.
std::int64_t cells_of_walk(std::int64_t cell_columns);

/// Bytes that the blocks in flight hold in the memory of their device.
std::int64_t block_bytes(const TableNeed& need, const BitAlignmentCut& cut);

/// The cells of the way back, as if the path went from corner to corner of the table.
WayBack way_back(const TableNeed& need, const BitAlignmentCut& cut, bool cuda);

/// A cut that keeps at most 1,024 lines each way, so long as memory allows.
/// @param workspace bytes that the kernels of a cut need in the memory of the device in addition to its blocks
/// @throws JobError naming the least budget if not even the smallest cut fits
BitAlignmentCut choose_bit_cut(const TableNeed& need, const Resources& resources,
                               const std::function<std::int64_t(const BitAlignmentCut&)>& workspace);

}  // namespace terrace::stages
