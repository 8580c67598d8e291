// The runs of elements that take a pass.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/dp_table/bounded_task.hpp"

namespace terrace::dp_table {

/// True if a line, a run of the last of the pass's dimensions, takes the pass.
TERRACE_HOST_DEVICE bool takes_pass(const BoundedPass& pass, i64 line) {
  if (pass.rank == 1) return true;
  if (pass.rank == 2) return line >= pass.component[0];
  return line / pass.extent[1] >= pass.component[0] && line % pass.extent[1] >= pass.component[1];
}

/// Calls call(begin, end, starts) for the runs among the elements [begin, end) that take the pass, from the last to
/// the first. `starts` is true for a run that reads its line from the beginning.
template <class Call>
void for_each_run(const BoundedPass& pass, i64 begin, i64 end, const Call& call) {
  if (begin >= end) return;
  const i64 extent = pass.extent[pass.rank - 1], component = pass.component[pass.rank - 1];
  for (i64 line = (end - 1) / extent; line >= begin / extent; --line) {
    if (!takes_pass(pass, line)) continue;
    const i64 least = line * extent + component;
    const i64 from = begin > least ? begin : least;
    const i64 to = end < (line + 1) * extent ? end : (line + 1) * extent;
    if (from < to) call(from, to, from == least);
  }
}

}  // namespace terrace::dp_table
