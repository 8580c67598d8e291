// The descriptors of blocks of a search for the least makespan, and their results.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::makespan {

/// A block either makes a round of the search, or reports the machines of some jobs.
struct SearchTask {
  const device::i32* before;  // the state; null: the search begins
  device::i32* after;         // the state after a round; null: the block reports
  device::i64 nanoseconds;    // of a round, at most about so many
  const device::i32* machines;
  device::i64 count;  // of machines that are reported
};

struct SearchResult {
  static constexpr device::i64 most_reported = 1024;

  device::i64 lower, upper, open, nanoseconds;  // after a round, and what it took
  device::i32 machines[most_reported];          // of a report
};

}  // namespace terrace::makespan
