// The part of the recurrence's border in the result of a table's blocks.
#pragma once

#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/task.hpp"

namespace terrace::wavefront {

/// The result of a table before any block has reported: the border's best, or less than any cell.
template <class P>
constexpr BlockResult border_report(const typename P::template Constants<i64>& k, i64 rows, i64 columns) {
  if constexpr (P::report == Report::best || P::items != Items::letters) {
    return {0, 0, 0};
  } else {
    BlockResult best{-unbounded, 0, 0};
    const auto look = [&](i64 row, i64 column) {
      const i64 h = row == 0 ? P::template top<i64>(k, column - 1).h : P::template left<i64>(k, row - 1).h;
      if (const BlockResult cell{h, row, column}; goes_before(cell, best)) best = cell;
    };
    if (rows == 0 || columns == 0) look(rows, columns);
    if constexpr (P::report == Report::ends) {
      // If any cell of the last row may end an alignment, the cells of a row before the first are all 0.
      const Ends ends = P::template ends<i64>(k);
      if (ends.last_row) look(rows, 0);
      if (ends.last_column) look(0, columns);
    }
    return best;
  }
}

/// Adds a block's result to the table's result; `last_block`: it is the table's last.
template <class P>
constexpr void add_report(const BlockResult& block, bool last_block, BlockResult& table) {
  if constexpr (P::report == Report::last) {
    if (last_block) table = block;
  } else if (block.row > 0 && goes_before(block, table)) {
    table = block;
  }
}

}  // namespace terrace::wavefront
