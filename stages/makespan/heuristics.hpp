// Schedules by simple rules: they bound the search, and may be better than what it finds.
#pragma once

#include <cstdint>
#include <vector>

#include "stages/makespan/instance.hpp"

namespace terrace::stages {

/// Adds jobs to a schedule in which they have no machine yet: the longest first, each to the least loaded machine,
/// the lowest index on ties. @param jobs by falling time
void add_to_least_loaded(const Instance& instance, const std::vector<std::int64_t>& jobs, JobSchedule& schedule);

/// Longest processing time first (Graham, "Bounds on multiprocessing timing anomalies", 1969).
JobSchedule longest_processing_time(const Instance& instance);

/// MULTIFIT (Coffman, Garey and Johnson, "An application of bin-packing to multiprocessor scheduling", 1978): binary
/// search for the least capacity with which first fit, the longest job first, needs no more than the machines; of
/// more than some million jobs as far as eight steps go.
/// @param known a schedule: only better ones are searched for, and it is returned if there is none
JobSchedule multifit(const Instance& instance, const JobSchedule& known);

}  // namespace terrace::stages
