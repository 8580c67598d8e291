// A table cut into blocks, numbered row-major, or strip by strip; for problems with several tables (layers) of the
// same extents and cuts, the blocks of the first row of blocks layer by layer, then the blocks of the second.
#pragma once

#include <algorithm>
#include <cstdint>

namespace terrace::wavefront {

/// Extents of the table and of a block; the last blocks of a row or column may be smaller. A table without cells is
/// one block.
struct BlockGrid {
  std::int64_t rows, columns;
  std::int64_t block_rows, block_columns;  // at least 1
  std::int64_t layers = 1;
  bool strips = false;  // the grid is one of several strips, whose blocks come one after another

  /// Blocks from left to right, and from top to bottom.
  std::int64_t across() const { return std::max<std::int64_t>(1, (columns + block_columns - 1) / block_columns); }
  std::int64_t down() const { return std::max<std::int64_t>(1, (rows + block_rows - 1) / block_rows); }
  std::int64_t count() const { return across() * layers * down(); }
  /// A block has that number less by this than the one below it.
  std::int64_t stride() const { return across() * layers; }
  /// Rows whose bands follow one another without a pause.
  std::int64_t rows_in_flow() const { return strips ? rows : block_rows; }
  /// Rows of the blocks of row `i` of blocks.
  std::int64_t rows_of(std::int64_t i) const { return std::min(block_rows, rows - i * block_rows); }
};

}  // namespace terrace::wavefront
