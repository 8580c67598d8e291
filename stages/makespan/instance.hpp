// Jobs on identical machines, and bounds of their least makespan.
#pragma once

#include <cstdint>
#include <vector>

namespace terrace::stages {

/// The largest sum of times, so that no bound and no target leaves i64.
inline constexpr std::int64_t most_work = std::int64_t{1} << 56;

/// The most jobs and machines of an instance.
inline constexpr std::int64_t most_jobs = 1 << 24, most_machines = 1 << 24;

/// Jobs to be scheduled on identical machines (P||Cmax).
struct Instance {
  std::vector<std::int64_t> times;  // of each job, not negative, of sum at most most_work
  std::int64_t machines = 1;

  std::int64_t longest() const;
  /// The mean load of a machine, rounded up.
  std::int64_t mean_load() const;
  /// No schedule has a smaller makespan.
  std::int64_t least_makespan() const;
  /// List scheduling never exceeds it.
  std::int64_t most_makespan() const { return mean_load() + longest(); }
};

/// Jobs of an instance by falling time, of equal times the first ones first.
std::vector<std::int64_t> longest_first(const std::vector<std::int64_t>& times);

/// An assignment of jobs to machines.
struct JobSchedule {
  std::vector<std::int64_t> assignment;  // the machine of each job, from 0
  std::vector<std::int64_t> load;        // of each machine

  std::int64_t makespan() const;
};

/// Compares the schedule with the instance: every job on a machine, loads as they are.
/// @throws ComputeError if it is none
void check_schedule(const Instance& instance, const JobSchedule& schedule);

}  // namespace terrace::stages
