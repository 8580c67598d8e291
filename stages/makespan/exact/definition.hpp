// The exact search that a step of a job describes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/makespan/search.hpp"
#include "kernels/makespan/state.hpp"
#include "stages/makespan/instance.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The time limit of a job that gives none, in seconds.
inline constexpr double default_time_limit = 60;

struct ExactDefinition {
  Instance instance;
  std::vector<std::int64_t> order;  // jobs by falling time; the first ones are `jobs`, the others take no time
  makespan::SortedJobs jobs;
  makespan::SearchState begin;   // the best schedule of LPT and MULTIFIT, and a lower bound
  std::int64_t nanoseconds = 0;  // the time limit
  makespan::StateLayout layout;
  std::size_t failed_bytes = 0;  // for sets of jobs that failed
};

/// True if the step asks for the least makespan.
bool is_exact(const Settings& settings);

/// @throws JobError if the times or machines are wrong, with places
ExactDefinition define_exact(const Request& request);

/// A schedule of all jobs. @param machines of the first jobs in the order
JobSchedule schedule_of(const ExactDefinition& definition, const makespan::Machines& machines);

}  // namespace terrace::stages
