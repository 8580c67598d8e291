#include "stages/wavefront/kept_borders.hpp"

#include <algorithm>

namespace terrace::stages {

using run::Access;
using run::Mode;

namespace {

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

KeptBorders::KeptBorders(const AlignmentPlan& plan, BorderPlanes planes, ElementType type, std::int64_t rows,
                         std::int64_t columns)
    : plan_(plan), planes_(planes), type_(type), rows_(rows), columns_(columns), numbers_(plan.levels.size()) {
  row_plane_ = plan_.levels[0].cell_columns;
  column_plane_ = plan_.levels[0].block_rows + 1;
  for (std::size_t level = 1; level < plan_.levels.size(); ++level) {
    column_plane_ = std::max(column_plane_, plan_.levels[level].column_length());
  }
}

std::int64_t KeptBorders::across() const { return ceiling(columns_, plan_.levels[0].cell_columns); }

std::vector<run::ArraySpec> KeptBorders::arrays(int first) {
  std::vector<run::ArraySpec> arrays;
  const auto add = [&](const std::string& name, const Extents& shape, const Extents& tile) {
    run::ArraySpec array;
    array.name = name;
    array.type = type_;
    array.shape = shape;
    array.tile = tile;
    array.kept = 1;
    // A box's borders are one tile, made anew for every box. What the last cut names and what is dying still holds
    // slots: with fewer than these every box would wait for a cut.
    array.spare = 4;
    arrays.push_back(std::move(array));
    return first + static_cast<int>(arrays.size()) - 1;
  };
  for (std::size_t level = 0; level < plan_.levels.size(); ++level) {
    const AlignmentLevel& grid = plan_.levels[level];
    const std::int64_t tiles = ceiling(rows_, grid.block_rows) * across(), kept = grid.block_rows / grid.cell_rows;
    Extents rows{grid.kept_rows(), planes_.row, row_plane_}, row_tile = rows;
    Extents columns{grid.kept_columns(), planes_.column, column_plane_}, column_tile = columns;
    if (level == 0) {
      rows = {tiles, kept, planes_.row, row_plane_};
      row_tile = {1, kept, planes_.row, row_plane_};
      columns = {tiles, planes_.column, column_plane_};
      column_tile = {1, planes_.column, column_plane_};
    }
    const std::string number = std::to_string(level);
    if (grid.kept_rows() > 0) numbers_[level].rows = add("row_borders_" + number, rows, row_tile);
    if (grid.kept_columns() > 0) numbers_[level].columns = add("column_borders_" + number, columns, column_tile);
  }
  return arrays;
}

/// Kept row borders [first, first + count) of a box over the columns of `cells`; at the first level all in one block.
Access KeptBorders::rows_part(std::size_t level, const KeptBox& box, std::int64_t first, std::int64_t count,
                              const Box& cells, Mode mode) const {
  const AlignmentLevel& grid = plan_.levels[level];
  const int array = numbers_[level].rows;
  if (level > 0) {
    const std::int64_t begin = cells.begin[1] - box.cells.begin[1], end = cells.end[1] - box.cells.begin[1];
    return {array, box.row_generation, {{first, 0, begin}, {first + count, planes_.row, end}}, mode};
  }
  const std::int64_t kept = grid.block_rows / grid.cell_rows, row = first % kept;
  const std::int64_t strip = cells.begin[1] / grid.cell_columns, left = strip * grid.cell_columns;
  const std::int64_t tile = first / kept * across() + strip;
  const Box part{{tile, row, 0, cells.begin[1] - left}, {tile + 1, row + count, planes_.row, cells.end[1] - left}};
  return {array, 1, part, mode};
}

/// The column border before `column` over the rows of `cells`, which lie in one block, with its corner.
Access KeptBorders::column_part(std::size_t level, const KeptBox& box, std::int64_t column, const Box& cells,
                                Mode mode) const {
  const AlignmentLevel& grid = plan_.levels[level];
  const std::int64_t kept = (column - box.cells.begin[1]) / grid.cell_columns - 1;
  const std::int64_t row = cells.begin[0] - box.cells.begin[0], block = row / grid.block_rows;
  const std::int64_t rows = cells.end[0] - cells.begin[0];
  std::int64_t border = kept, begin = row + block;
  if (level == 0) {
    border = block * across() + kept;
    begin = row - block * grid.block_rows;
  }
  const Box part{{border, 0, begin}, {border + 1, planes_.column, begin + rows + 1}};
  return {numbers_[level].columns, level == 0 ? 1 : box.column_generation, part, mode};
}

std::int64_t KeptBorders::rows_kept(std::size_t level, const Box& box) const {
  return (box.end[0] - box.begin[0] - 1) / plan_.levels[level].cell_rows;
}

std::int64_t KeptBorders::columns_kept(std::size_t level, const Box& box) const {
  return (box.end[1] - box.begin[1] - 1) / plan_.levels[level].cell_columns;
}

std::optional<Access> KeptBorders::below(std::size_t level, const KeptBox& box, const Box& block) const {
  const std::int64_t cell = plan_.levels[level].cell_rows;
  const std::int64_t last = std::min(block.end[0], box.cells.end[0] - 1);  // none below the box is kept
  const std::int64_t first = (block.begin[0] - box.cells.begin[0]) / cell, count = (last - block.begin[0]) / cell;
  if (count <= 0) return std::nullopt;
  return rows_part(level, box, first, count, block, Mode::write);
}

std::optional<Access> KeptBorders::right_of(std::size_t level, const KeptBox& box, const Box& block) const {
  if (block.end[1] >= box.cells.end[1]) return std::nullopt;
  return column_part(level, box, block.end[1], block, Mode::write);
}

std::optional<Access> KeptBorders::above(std::size_t level, const KeptBox& box, const Box& cells) const {
  const std::int64_t row = cells.begin[0] - box.cells.begin[0];
  if (row == 0) return std::nullopt;
  return rows_part(level, box, row / plan_.levels[level].cell_rows - 1, 1, cells, Mode::read);
}

std::optional<Access> KeptBorders::before(std::size_t level, const KeptBox& box, const Box& cells) const {
  if (cells.begin[1] == box.cells.begin[1]) return std::nullopt;
  return column_part(level, box, cells.begin[1], cells, Mode::read);
}

std::optional<Access> KeptBorders::rows_inside(std::size_t level, const KeptBox& box) const {
  const std::int64_t kept = rows_kept(level, box.cells);
  if (kept == 0) return std::nullopt;
  return rows_part(level, box, 0, kept, box.cells, Mode::read);
}

std::optional<Access> KeptBorders::columns_inside(std::size_t level, const KeptBox& box) const {
  const std::int64_t kept = columns_kept(level, box.cells), rows = box.cells.end[0] - box.cells.begin[0];
  if (kept == 0) return std::nullopt;
  const std::int64_t length = rows + ceiling(rows, plan_.levels[level].block_rows);
  return Access{
      numbers_[level].columns, box.column_generation, {{0, 0, 0}, {kept, planes_.column, length}}, Mode::read};
}

}  // namespace terrace::stages
