// A schedule of real jobs from configurations of rounded ones.
#pragma once

#include <cstdint>
#include <vector>

#include "stages/makespan/rounding.hpp"

namespace terrace::stages {

/// One machine takes as many jobs of each size as its configuration says; then the short jobs are added, the longest
/// first, each to the least loaded machine.
/// @param configurations of one machine each: the number of jobs of every size
/// @throws ComputeError if they are more than the machines, or do not hold all long jobs
JobSchedule schedule_of(const Instance& instance, const RoundedJobs& jobs,
                        const std::vector<std::vector<std::int64_t>>& configurations);

}  // namespace terrace::stages
