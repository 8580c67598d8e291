#include "stages/wavefront/alignment/kept_borders.hpp"

#include <algorithm>

#include "pipeline/base/rounding.hpp"

namespace terrace::stages {

using run::Access;
using run::Mode;

namespace {

/// Cells of a block of the level.
std::int64_t cells_down(const AlignmentLevel& level) { return ceiling(level.block_rows, level.cell_rows); }
std::int64_t cells_across(const AlignmentLevel& level) { return ceiling(level.block_columns, level.cell_columns); }

/// The pieces [first, last) of borders that hold values [begin, end), and the elements [from, to) of each; all
/// elements if there are several pieces.
struct PieceRange {
  std::int64_t first, last, from, to;
};
PieceRange pieces_with(std::int64_t begin, std::int64_t end, std::int64_t cell, std::int64_t piece) {
  const std::int64_t first = begin / cell, last = ceiling(end, cell);
  if (last - first > 1) return {first, last, 0, piece};
  return {first, first + 1, begin - first * cell, end - first * cell};
}

}  // namespace

KeptBorders::KeptBorders(const AlignmentLevels& levels, BorderPlanes planes, ElementType type, std::int64_t rows,
                         std::int64_t columns)
    : levels_(levels),
      planes_(planes),
      type_(type),
      rows_(rows),
      columns_(columns),
      pieces_(border_pieces(levels)),
      numbers_(levels.size()) {}

Box KeptBorders::around(std::size_t level, const Box& cells) const {
  Box box{{0, 0}, cells.end};
  for (std::size_t i = 0; i < level; ++i) {
    box.begin[0] += (cells.begin[0] - box.begin[0]) / levels_[i].cell_rows * levels_[i].cell_rows;
    box.begin[1] += (cells.begin[1] - box.begin[1]) / levels_[i].cell_columns * levels_[i].cell_columns;
  }
  return box;
}

std::optional<std::size_t> KeptBorders::level_around(std::size_t level, const Box& cells, int dimension) const {
  while (level-- > 0) {
    if (around(level, cells).begin[dimension] != cells.begin[dimension]) return level;
  }
  return std::nullopt;
}

std::vector<run::ArraySpec> KeptBorders::arrays(int first) {
  std::vector<run::ArraySpec> arrays;
  const auto add = [&](const std::string& name, const Extents& shape, const Extents& tile) {
    run::ArraySpec array;
    array.name = name;
    array.type = type_;
    array.shape = shape;
    array.tile = tile;
    array.kept = 1;
    // A box's borders are one tile, made anew for every box. Versions named by the last cut and dying versions still
    // hold slots: with fewer slots every box would wait for a cut.
    array.spare = 4;
    arrays.push_back(std::move(array));
    return first + static_cast<int>(arrays.size()) - 1;
  };
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const AlignmentLevel& grid = levels_[level];
    Extents rows{grid.kept_rows(), planes_.row, pieces_.row}, row_tile = rows;
    Extents columns{grid.kept_columns(), planes_.column, pieces_.column}, column_tile = columns;
    if (level == 0) {
      const std::int64_t blocks = ceiling(rows_, grid.block_rows) * ceiling(columns_, grid.block_columns);
      const std::int64_t down = cells_down(grid), across = cells_across(grid);
      rows = {blocks, down, across, planes_.row, pieces_.row};
      row_tile = {1, down, across, planes_.row, pieces_.row};
      columns = {blocks, across, down, planes_.column, pieces_.column};
      column_tile = {1, across, down, planes_.column, pieces_.column};
    }
    const std::string number = std::to_string(level);
    if (grid.kept_rows() > 0) numbers_[level].rows = add("row_borders_" + number, rows, row_tile);
    if (grid.kept_columns() > 0) numbers_[level].columns = add("column_borders_" + number, columns, column_tile);
  }
  return arrays;
}

/// Number of the block of the table's sweep that cells lie in.
std::int64_t KeptBorders::block_of(std::int64_t row, std::int64_t column) const {
  const AlignmentLevel& grid = levels_[0];
  return row / grid.block_rows * ceiling(columns_, grid.block_columns) + column / grid.block_columns;
}

/// Kept row borders [first, first + count) of a box over the columns of `cells`; at the first level all in one block.
Access KeptBorders::rows_part(std::size_t level, const KeptBox& box, std::int64_t first, std::int64_t count,
                              const Box& cells, Mode mode) const {
  const AlignmentLevel& grid = levels_[level];
  const int array = numbers_[level].rows;
  const std::int64_t begin = cells.begin[1] - box.cells.begin[1], end = cells.end[1] - box.cells.begin[1];
  if (level > 0) return {{}, array, box.row_generation, {{first, 0, begin}, {first + count, planes_.row, end}}, mode};
  const std::int64_t left = begin / grid.block_columns * grid.block_columns, row = first % cells_down(grid);
  const PieceRange pieces = pieces_with(begin - left, end - left, grid.cell_columns, pieces_.row);
  const std::int64_t tile = block_of(first * grid.cell_rows, begin);
  const Box part{{tile, row, pieces.first, 0, pieces.from},
                 {tile + 1, row + count, pieces.last, planes_.row, pieces.to}};
  return {{}, array, 1, part, mode};
}

/// Kept column borders [first, first + count) of a box over the rows of `cells`, with their corners; at the first
/// level all in one block, at others one alone and over rows of one cell.
Access KeptBorders::columns_part(std::size_t level, const KeptBox& box, std::int64_t first, std::int64_t count,
                                 const Box& cells, Mode mode) const {
  const AlignmentLevel& grid = levels_[level];
  const int array = numbers_[level].columns;
  const std::int64_t begin = cells.begin[0] - box.cells.begin[0], end = cells.end[0] - box.cells.begin[0];
  if (level > 0) {
    const std::int64_t corners = begin / grid.cell_rows;
    const Box part{{first, 0, begin + corners}, {first + count, planes_.column, end + corners + 1}};
    return {{}, array, box.column_generation, part, mode};
  }
  const std::int64_t top = begin / grid.block_rows * grid.block_rows, column = first % cells_across(grid);
  const PieceRange pieces = pieces_with(begin - top, end - top, grid.cell_rows, pieces_.column - 1);
  const std::int64_t tile = block_of(begin, first * grid.cell_columns);
  const Box part{{tile, column, pieces.first, 0, pieces.from},
                 {tile + 1, column + count, pieces.last, planes_.column, pieces.to + 1}};
  return {{}, array, 1, part, mode};
}

std::int64_t KeptBorders::rows_kept(std::size_t level, const Box& box) const {
  return (box.end[0] - box.begin[0] - 1) / levels_[level].cell_rows;
}

std::int64_t KeptBorders::columns_kept(std::size_t level, const Box& box) const {
  return (box.end[1] - box.begin[1] - 1) / levels_[level].cell_columns;
}

std::optional<Access> KeptBorders::below(std::size_t level, const KeptBox& box, const Box& block) const {
  const std::int64_t cell = levels_[level].cell_rows;
  const std::int64_t last = std::min(block.end[0], box.cells.end[0] - 1);  // no border is kept below the box
  const std::int64_t first = (block.begin[0] - box.cells.begin[0]) / cell, count = (last - block.begin[0]) / cell;
  if (count <= 0) return std::nullopt;
  return rows_part(level, box, first, count, block, Mode::write);
}

std::optional<Access> KeptBorders::right_of(std::size_t level, const KeptBox& box, const Box& block) const {
  const std::int64_t cell = levels_[level].cell_columns;
  const std::int64_t last = std::min(block.end[1], box.cells.end[1] - 1);  // nor right of it
  const std::int64_t first = (block.begin[1] - box.cells.begin[1]) / cell, count = (last - block.begin[1]) / cell;
  if (count <= 0) return std::nullopt;
  return columns_part(level, box, first, count, block, Mode::write);
}

std::optional<Access> KeptBorders::above(std::size_t level, const KeptBox& box, const Box& cells) const {
  const std::int64_t row = cells.begin[0] - box.cells.begin[0];
  if (row == 0) return std::nullopt;
  return rows_part(level, box, row / levels_[level].cell_rows - 1, 1, cells, Mode::read);
}

std::optional<Access> KeptBorders::before(std::size_t level, const KeptBox& box, const Box& cells) const {
  const std::int64_t column = cells.begin[1] - box.cells.begin[1];
  if (column == 0) return std::nullopt;
  return columns_part(level, box, column / levels_[level].cell_columns - 1, 1, cells, Mode::read);
}

std::optional<Access> KeptBorders::rows_inside(std::size_t level, const KeptBox& box, Mode mode) const {
  const std::int64_t kept = rows_kept(level, box.cells);
  if (kept == 0) return std::nullopt;
  return rows_part(level, box, 0, kept, box.cells, mode);
}

std::optional<Access> KeptBorders::columns_inside(std::size_t level, const KeptBox& box, Mode mode) const {
  const std::int64_t kept = columns_kept(level, box.cells), rows = box.cells.end[0] - box.cells.begin[0];
  if (kept == 0) return std::nullopt;
  const std::int64_t length = rows + ceiling(rows, levels_[level].cell_rows);
  return Access{
      {}, numbers_[level].columns, box.column_generation, {{0, 0, 0}, {kept, planes_.column, length}}, mode};
}

}  // namespace terrace::stages
