// Jobs that are to be scheduled on identical machines, and schedules of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/integers.hpp"

namespace terrace::makespan {

using device::i32;
using device::i64;
using device::u64;

/// Jobs by falling time. All times are positive, and their sum is at most 2^56.
struct SortedJobs {
  std::vector<i64> times;
  i64 machines = 1;
  i64 sum = 0;

  SortedJobs() = default;
  SortedJobs(std::vector<i64> falling, i64 count);

  i64 count() const { return std::ssize(times); }
  i64 operator[](i64 job) const { return times[static_cast<std::size_t>(job)]; }
  /// The first job that takes at most `most`; count() if there is none.
  i64 first_of_at_most(i64 most) const;
  /// The first job after this one that takes less; count() if there is none.
  i64 first_shorter(i64 job) const { return first_of_at_most((*this)[job] - 1); }
};

/// The machine of each of the sorted jobs.
using Machines = std::vector<i32>;

/// When the last machine ends.
i64 makespan_of(const SortedJobs& jobs, std::span<const i32> machines);

}  // namespace terrace::makespan
