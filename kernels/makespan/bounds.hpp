// Lower bounds of the least makespan.
#pragma once

#include <span>

#include "kernels/makespan/jobs.hpp"

namespace terrace::makespan {

/// The largest of: the mean load, rounded up; the longest job; for each k the sum of the k + 1 shortest of the
/// k m + 1 longest jobs, of which one machine has k + 1.
i64 simple_bound(const SortedJobs& jobs);

/// True if bounds of bin packing prove that the jobs do not fit into the bins; false: they may fit or not.
/// - L2 of Martello and Toth ("Lower bounds and reduction procedures for the bin packing problem", 1990).
/// - A bound by numbers of long jobs, for each threshold at which times fall by half: if bins hold at most c long
///   jobs, and x of the bins fewer, these x bins have at most the longest jobs and all short ones, and waste the rest
///   of their capacity; for no x the waste may be what all bins have.
/// @param sums of the first 0, 1, ... jobs, one more than jobs
bool do_not_fit(std::span<const i64> falling, std::span<const i64> sums, i64 bins, i64 capacity);

/// The least makespan from simple_bound() to `upper` that do_not_fit() does not exclude, as far as binary search
/// finds it.
i64 bound_by_packing(const SortedJobs& jobs, i64 lower, i64 upper);

}  // namespace terrace::makespan
