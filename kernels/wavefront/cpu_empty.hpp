// Blocks without cells.
#pragma once

#include "kernels/wavefront/cpu_tickets.hpp"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

inline bool is_empty(const BlockTask& task) {
  return task.row_begin == task.row_end || task.column_begin == task.column_end;
}

/// A table without rows or columns is one block without cells: its score is the recurrence's border.
template <class P>
bool sweep_empty(Band& band, const typename P::template Constants<i64>& k, BlockResult& found) {
  const BlockTask& task = band.task();
  if (!band.wait_left() || !band.wait_above(0)) return false;
  if (band.last() && P::report == Report::last) {
    const i64 score = task.row_begin == task.row_end ? P::template top<i64>(k, task.column_end - 1).h
                                                     : P::template left<i64>(k, task.row_end - 1).h;
    found = {score, task.row_end, task.column_end};
  }
  band.publish(task.column_end - task.column_begin);
  return true;
}

}  // namespace terrace::wavefront
