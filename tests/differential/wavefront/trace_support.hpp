// Walks through boxes of a table whose borders come from the reference, as a program of blocks would.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory_resource>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/wavefront/problems.hpp"
#include "kernels/wavefront/reference/path.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "tests/differential/wavefront/run_trace.hpp"

namespace terrace::wavefront::test {

/// The cut of a table for a walk.
struct TraceCut {
  std::int64_t box_rows, box_columns;
  std::int64_t cell_rows, cell_columns;  // inside a box
  std::int64_t blocks = 1;               // rows of cells of a piece of a column border
};

/// Borders of one box in 64 bits, its letters, and the task of a walk through it; all in memory of `memory`.
template <class P>
class TraceBox {
 public:
  TraceBox(ReferenceTrace<P>& table, std::span<const std::uint8_t> rows, std::span<const std::uint8_t> columns,
           const TraceCut& cut, const PathPlace& place, std::pmr::memory_resource* memory)
      : table_(table), rows_(memory), columns_(memory), row_letters_(memory), column_letters_(memory) {
    task.place = place;
    task.row_begin = (place.row - 1) / cut.box_rows * cut.box_rows;
    task.column_begin = (place.column - 1) / cut.box_columns * cut.box_columns;
    task.row_end = place.row;
    task.column_end = place.column;
    task.cell_rows = cut.cell_rows;
    task.cell_columns = cut.cell_columns;
    task.block_rows = cut.cell_rows * cut.blocks;
    row_letters_.assign(rows.begin() + task.row_begin, rows.begin() + task.row_end);
    column_letters_.assign(columns.begin() + task.column_begin, columns.begin() + task.column_end);
    task.rows = row_letters_.data();
    task.columns = column_letters_.data();
    const i64 width = task.column_end - task.column_begin, height = task.row_end - task.row_begin;
    task.row_border_stride = width + 3;
    task.column_border_stride = height + (height + task.block_rows - 1) / task.block_rows + 5;
    task.row_borders_stride = 2 * task.row_border_stride;
    task.column_borders_stride = 2 * task.column_border_stride;
    for (i64 row = task.row_begin; row < task.row_end; row += task.cell_rows) add_row(row);
    for (i64 column = task.column_begin; column < task.column_end; column += task.cell_columns) add_column(column);
    const auto begin = static_cast<std::size_t>(task.row_borders_stride);
    task.top = task.row_begin == 0 ? nullptr : rows_.data();
    task.row_borders = rows_.data() + begin;
    task.left = task.column_begin == 0 ? nullptr : columns_.data();
    task.column_borders = columns_.data() + static_cast<std::size_t>(task.column_borders_stride);
  }

  TraceTask task{};

 private:
  /// The border above `row`. What nobody wrote is a value that would show.
  void add_row(i64 row) {
    std::vector<i64> border(static_cast<std::size_t>(task.row_borders_stride), unwritten);
    for (i64 j = task.column_begin; j < task.column_end; ++j) {
      const auto at = static_cast<std::size_t>(j - task.column_begin);
      border[at] = table_.h(row - 1, j);
      if (P::row_planes == 2) border[at + static_cast<std::size_t>(task.row_border_stride)] = table_.f(row, j);
    }
    rows_.insert(rows_.end(), border.begin(), border.end());
  }

  /// The border before `column`; the one before the box is one piece.
  void add_column(i64 column) {
    std::vector<i64> border(static_cast<std::size_t>(task.column_borders_stride), unwritten);
    const i64 piece = column == task.column_begin ? task.row_end - task.row_begin : task.block_rows;
    std::size_t at = 0;
    for (i64 begin = task.row_begin; begin < task.row_end; begin += piece) {
      border[at++] = table_.h(begin - 1, column - 1);
      for (i64 i = begin; i < std::min(begin + piece, task.row_end); ++i, ++at) {
        border[at] = table_.h(i, column - 1);
        if (P::column_planes == 2)
          border[at + static_cast<std::size_t>(task.column_border_stride)] = table_.e(i, column);
      }
    }
    columns_.insert(columns_.end(), border.begin(), border.end());
  }

  static constexpr i64 unwritten = i64{1} << 40;
  ReferenceTrace<P>& table_;
  std::pmr::vector<i64> rows_, columns_;
  std::pmr::vector<std::uint8_t> row_letters_, column_letters_;
};

/// The path from the end of the reference's to its start, walked box by box.
template <class P, class Walk>
ReferencePath walk_boxes(ReferenceTrace<P>& table, const ReferencePath& expected, std::span<const std::uint8_t> rows,
                         std::span<const std::uint8_t> columns, const TraceCut& cut,
                         std::pmr::memory_resource* memory, Walk&& walk) {
  ReferencePath path{expected.score, 0, 0, expected.row_end, expected.column_end, ""};
  const bool nothing = is_local<P> && expected.score == 0;
  PathPlace place{expected.row_end, expected.column_end, PathGap::none, nothing ? 1 : 0};
  while (place.row > 0 && place.column > 0 && !place.ended) {
    const TraceBox<P> box(table, rows, columns, cut, place, memory);
    const TraceResult result = run_trace(box.task, memory, walk);
    for (i64 i = 0; i < result.count; ++i) path.steps += "=XID"[static_cast<int>(result.step(i))];
    place = result.place;
  }
  const FreeStart free = free_start<P, i64>(table.constants());
  if (place.column == 0 && !free.rows)
    path.steps += std::string(static_cast<std::size_t>(std::exchange(place.row, 0)), 'I');
  if (place.row == 0 && !free.columns) {
    path.steps += std::string(static_cast<std::size_t>(std::exchange(place.column, 0)), 'D');
  }
  path.row_begin = place.row;
  path.column_begin = place.column;
  std::reverse(path.steps.begin(), path.steps.end());
  return path;
}

/// The score after one more letter of a gap.
template <class P>
i64 next_of_gap(const typename P::template Constants<i64>& k, i64 score) {
  if constexpr (P::row_planes == 2) return score - k.gap_next;
  else return P::template gap_opened<i64>(k, score, 0);
}

/// The sum of the steps of a path; the recurrence's border gives the first value.
template <class P>
i64 score_of(const typename P::template Constants<i64>& k, const ReferencePath& path,
             std::span<const std::uint8_t> rows, std::span<const std::uint8_t> columns) {
  auto row = static_cast<std::size_t>(path.row_begin), column = static_cast<std::size_t>(path.column_begin);
  i64 score = 0;
  char before = ' ';
  for (const char step : path.steps) {
    if (step == '=' || step == 'X') score += P::template score<i64>(k, rows[row], columns[column]);
    else if (step == before) score = next_of_gap<P>(k, score);
    else score = P::template gap_opened<i64>(k, score, 0);
    row += step != 'D';
    column += step != 'I';
    before = step;
  }
  return score;
}

/// Letters of columns made from letters of rows: some changed, some left out, now and then a long piece added.
inline std::vector<std::uint8_t> mutated(const std::vector<std::uint8_t>& rows, std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> columns;
  for (std::size_t i = 0; static_cast<std::int64_t>(columns.size()) < count; ++i) {
    const auto draw = random() % 40;
    if (draw == 0) columns.insert(columns.end(), random() % 30, static_cast<std::uint8_t>(random() % 4));
    else if (draw == 1) i += random() % 30;
    else if (draw < 5) columns.push_back(static_cast<std::uint8_t>(random() % 4));
    if (draw >= 5) columns.push_back(rows.empty() ? std::uint8_t{1} : rows[i % rows.size()]);
  }
  columns.resize(static_cast<std::size_t>(count));
  return columns;
}

}  // namespace terrace::wavefront::test
