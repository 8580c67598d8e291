#include "stages/makespan/assignment.hpp"

#include "pipeline/base/error.hpp"
#include "stages/makespan/heuristics.hpp"

namespace terrace::stages {

JobSchedule schedule_of(const Instance& instance, const RoundedJobs& jobs,
                        const std::vector<std::vector<std::int64_t>>& configurations) {
  const auto fail = [] {
    throw ComputeError(
        "the table's way back does not place all jobs: the disk or the memory has changed since it was computed; "
        "start over with --fresh=all");
  };
  JobSchedule schedule;
  schedule.assignment.assign(instance.times.size(), -1);
  schedule.load.assign(static_cast<std::size_t>(instance.machines), 0);
  if (configurations.size() > schedule.load.size()) fail();
  std::vector<std::size_t> placed(jobs.sizes.size());
  for (std::size_t machine = 0; machine < configurations.size(); ++machine) {
    for (std::size_t size = 0; size < placed.size(); ++size) {
      for (std::int64_t n = 0; n < configurations[machine][size]; ++n) {
        if (placed[size] == jobs.jobs[size].size()) fail();
        const auto job = static_cast<std::size_t>(jobs.jobs[size][placed[size]++]);
        schedule.assignment[job] = static_cast<std::int64_t>(machine);
        schedule.load[machine] += instance.times[job];
      }
    }
  }
  for (std::size_t size = 0; size < placed.size(); ++size) {
    if (placed[size] != jobs.jobs[size].size()) fail();
  }
  add_to_least_loaded(instance, jobs.short_jobs, schedule);
  return schedule;
}

}  // namespace terrace::stages
