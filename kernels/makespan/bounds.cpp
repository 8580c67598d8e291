#include "kernels/makespan/bounds.hpp"

#include <algorithm>
#include <vector>

#include "pipeline/base/rounding.hpp"

namespace terrace::makespan {
namespace {

/// Jobs of falling times, and the sums of the first ones.
struct Listed {
  std::span<const i64> times, sums;

  i64 count() const { return std::ssize(times); }
  i64 time(i64 n) const { return times[static_cast<std::size_t>(n)]; }
  i64 sum(i64 first) const { return sums[static_cast<std::size_t>(first)]; }
  i64 sum(i64 begin, i64 end) const { return sum(end) - sum(begin); }
};

std::vector<i64> sums_of(const std::vector<i64>& times) {
  std::vector<i64> sums(1, 0);
  for (const i64 time : times) sums.push_back(sums.back() + time);
  return sums;
}

/// L2 for each threshold: jobs longer than capacity - threshold share their bin with none that counts, those of more
/// than half of the capacity have a bin each, and those down to the threshold fill what these leave, and more bins.
bool exceeds_l2(const Listed& jobs, i64 bins, i64 capacity) {
  i64 half = 0;
  while (half < jobs.count() && jobs.time(half) > capacity - jobs.time(half)) ++half;
  if (half > bins) return true;
  i64 alone = half;
  for (i64 end = half + 1; end <= jobs.count(); ++end) {
    const i64 threshold = jobs.time(end - 1);
    if (end < jobs.count() && jobs.time(end) == threshold) continue;
    while (alone > 0 && jobs.time(alone - 1) <= capacity - threshold) --alone;
    const i64 room = (half - alone) * capacity - jobs.sum(alone, half);
    const i64 rest = jobs.sum(half, end) - room;
    if (rest > 0 && half + ceiling(rest, capacity) > bins) return true;
  }
  return false;
}

/// @param many the first so many jobs are long
bool exceeds_by_number(const Listed& jobs, i64 many, i64 bins, i64 capacity) {
  i64 most = 0;  // long jobs of a bin
  while (most < many && jobs.sum(many - most - 1, many) <= capacity) ++most;
  if (most == 0 || ceiling(many, most) > bins) return true;
  const i64 missing = bins * most - many, short_sum = jobs.sum(many, jobs.count());
  if (missing == 0) return false;
  const i64 all = jobs.sum(jobs.count());
  for (i64 fewer = ceiling(missing, most); fewer <= std::min(bins, missing); ++fewer) {
    // The other bins hold at least the rest.
    const i64 held = jobs.sum(fewer * most - missing) + short_sum;
    if (ceiling(all - held, capacity) <= bins - fewer) return false;
  }
  return true;
}

}  // namespace

i64 simple_bound(const SortedJobs& jobs) {
  i64 bound = ceiling(jobs.sum, jobs.machines);
  if (jobs.count() > 0) bound = std::max(bound, jobs[0]);
  const std::vector<i64> sums = sums_of(jobs.times);
  for (i64 k = 1; k < ceiling(jobs.count(), jobs.machines); ++k) {
    const Listed all{jobs.times, sums};
    bound = std::max(bound, all.sum(k * jobs.machines - k, k * jobs.machines + 1));
  }
  return bound;
}

bool do_not_fit(std::span<const i64> falling, std::span<const i64> sums, i64 bins, i64 capacity) {
  const Listed jobs{falling, sums};
  if (jobs.count() == 0) return false;
  if (bins == 0 || jobs.time(0) > capacity || ceiling(jobs.sum(jobs.count()), capacity) > bins) return true;
  if (exceeds_l2(jobs, bins, capacity)) return true;
  for (i64 many = 1; many <= jobs.count(); ++many) {
    const bool falls = many == jobs.count() || jobs.time(many) <= jobs.time(many - 1) / 2;
    if (falls && exceeds_by_number(jobs, many, bins, capacity)) return true;
  }
  return false;
}

i64 bound_by_packing(const SortedJobs& jobs, i64 lower, i64 upper) {
  const std::vector<i64> sums = sums_of(jobs.times);
  while (lower < upper) {
    const i64 target = lower + (upper - lower) / 2;
    if (do_not_fit(jobs.times, sums, jobs.machines, target)) lower = target + 1;
    else upper = target;
  }
  return lower;
}

}  // namespace terrace::makespan
