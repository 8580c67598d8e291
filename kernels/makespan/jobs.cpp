#include "kernels/makespan/jobs.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace terrace::makespan {

SortedJobs::SortedJobs(std::vector<i64> falling, i64 count)
    : times(std::move(falling)), machines(count), sum(std::accumulate(times.begin(), times.end(), i64{0})) {}

i64 SortedJobs::first_of_at_most(i64 most) const {
  return std::lower_bound(times.begin(), times.end(), most, std::greater<>{}) - times.begin();
}

i64 makespan_of(const SortedJobs& jobs, std::span<const i32> machines) {
  std::vector<i64> load(static_cast<std::size_t>(jobs.machines));
  for (i64 job = 0; job < jobs.count(); ++job) {
    load[static_cast<std::size_t>(machines[static_cast<std::size_t>(job)])] += jobs[job];
  }
  return *std::max_element(load.begin(), load.end());
}

}  // namespace terrace::makespan
