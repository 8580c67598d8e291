// Blocks without cells.
#pragma once

#include "kernels/wavefront/cpu/tickets.hpp"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

inline bool is_empty(const BlockTask& task) {
  return task.row_begin == task.row_end || task.column_begin == task.column_end;
}

/// A table without rows or columns is one block without cells: its score is the recurrence's border.
/// @tparam V the type of the border's values: i64, or the floating one of the table's
template <class P, class V = i64>
bool sweep_empty(Band& band, const typename P::template Constants<i64>& constants, BlockResult& found) {
  const BlockTask& task = band.task();
  if (!band.wait_left() || !band.wait_above(0)) return false;
  if (band.last() && P::report == Report::last) {
    const auto k = P::template constants_as<V>(constants);
    const V score = task.row_begin == task.row_end ? P::template top<V>(k, task.column_end - 1).h
                                                   : P::template left<V>(k, task.row_end - 1).h;
    found = {reported(score), task.row_end, task.column_end};
  }
  band.publish(task.column_end - task.column_begin);
  return true;
}

}  // namespace terrace::wavefront
