// The cell that a table reports: what its border gives, and how the reports of its blocks are folded.
#pragma once

#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/task.hpp"

namespace terrace::wavefront {

/// The report of a table of which no block has reported yet: the best cell of the border, or less than any cell.
/// @param border(row, column) H of the border after that many rows and columns, one of which is 0
template <class BorderAt>
constexpr BlockResult border_report(Items items, Report report, const Ends& ends, i64 rows, i64 columns,
                                    BorderAt&& border) {
  if (report == Report::best || items != Items::letters) return {0, 0, 0};
  BlockResult best{-unbounded, 0, 0};
  const auto look = [&](i64 row, i64 column) {
    if (const BlockResult cell{border(row, column), row, column}; goes_before(cell, best)) best = cell;
  };
  if (rows == 0 || columns == 0) look(rows, columns);
  if (report == Report::ends) {
    // If any cell of the last row may end an alignment, all cells of the border row above the first row are 0.
    if (ends.last_row) look(rows, 0);
    if (ends.last_column) look(0, columns);
  }
  return best;
}

/// The same for problem P with constants k.
template <class P>
constexpr BlockResult border_report(const typename P::template Constants<i64>& k, i64 rows, i64 columns) {
  if constexpr (P::report == Report::best || P::items != Items::letters) {
    return {0, 0, 0};
  } else {
    Ends ends{};
    if constexpr (P::report == Report::ends) ends = P::template ends<i64>(k);
    return border_report(P::items, P::report, ends, rows, columns, [&](i64 row, i64 column) {
      return row == 0 ? P::template top<i64>(k, column - 1).h : P::template left<i64>(k, row - 1).h;
    });
  }
}

/// Adds a block's report to that of a table; `last_block`: it is the table's last.
TERRACE_HOST_DEVICE constexpr void add_report(Items items, Report report, const BlockResult& block, bool last_block,
                                              BlockResult& table) {
  const bool none = items == Items::values && table.row == 0;  // no cell of the border counts
  if (report == Report::last) {
    if (last_block) table = block;
  } else if (block.row > 0 && (none || goes_before(block, table))) {
    table = block;
  }
}

/// The same for problem P.
template <class P>
constexpr void add_report(const BlockResult& block, bool last_block, BlockResult& table) {
  add_report(P::items, P::report, block, last_block, table);
}

}  // namespace terrace::wavefront
