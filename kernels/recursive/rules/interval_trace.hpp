// The walk through the splits of a triangle of tiles, on one thread.
#pragma once

#include <algorithm>

#include "kernels/recursive/interval_rules.hpp"
#include "kernels/recursive/rules/interval_task.hpp"

namespace terrace::recursive {

/// The whole is the only interval.
inline void begin_trace(const IntervalTask& task) {
  std::fill_n(task.trace, 3 * task.nodes, 0);
  task.trace[0] = static_cast<i32>(task.nodes - 1);
}

/// The intervals that there are at any time do not overlap, so that each is known by its first node.
/// @return IntervalResult::lost
inline i64 trace_intervals(const IntervalTask& task) {
  i32 *ends = task.trace, *opens = ends + task.nodes, *closes = opens + task.nodes;
  for (i64 i = task.row; i < task.row + task.rows; ++i) {
    while (ends[i] >= task.column && ends[i] < task.column + task.columns && ends[i] - i > 1) {
      const i32 j = ends[i], k = task.split[(i - task.row) * task.split_stride + j - task.column];
      if (!is_split(static_cast<i32>(i), j, k, task.pairs)) return i + 1;
      if (task.pairs == 0 || k == i) {
        ++opens[i];
        ++closes[j - 1];
      }
      if (k == i) {  // the first and the last item pair
        ends[i] = static_cast<i32>(i + 1);
        ends[i + 1] = j - 1 > i + 1 ? j - 1 : j;
        ends[j - 1] = j;
      } else {
        ends[i] = k;
        ends[k] = j;
      }
    }
  }
  return 0;
}

}  // namespace terrace::recursive
