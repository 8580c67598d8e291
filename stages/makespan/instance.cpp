#include "stages/makespan/instance.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "pipeline/base/error.hpp"

namespace terrace::stages {

std::int64_t Instance::longest() const { return times.empty() ? 0 : *std::max_element(times.begin(), times.end()); }

std::int64_t Instance::mean_load() const {
  const std::int64_t sum = std::accumulate(times.begin(), times.end(), std::int64_t{0});
  return sum / machines + (sum % machines != 0);
}

std::int64_t Instance::least_makespan() const { return std::max(mean_load(), longest()); }

std::vector<std::int64_t> longest_first(const std::vector<std::int64_t>& times) {
  std::vector<std::int64_t> jobs(times.size());
  std::iota(jobs.begin(), jobs.end(), std::int64_t{0});
  std::stable_sort(jobs.begin(), jobs.end(), [&](std::int64_t a, std::int64_t b) {
    return times[static_cast<std::size_t>(a)] > times[static_cast<std::size_t>(b)];
  });
  return jobs;
}

std::int64_t JobSchedule::makespan() const { return load.empty() ? 0 : *std::max_element(load.begin(), load.end()); }

void check_schedule(const Instance& instance, const JobSchedule& schedule) {
  const auto fail = [](const std::string& what) {
    throw ComputeError("the schedule is wrong, " + what +
                       ": an input, the disk or the memory has changed since its table was computed; start over with "
                       "--fresh=all");
  };
  if (schedule.assignment.size() != instance.times.size()) fail("it has not all jobs");
  std::vector<std::int64_t> load(static_cast<std::size_t>(instance.machines));
  for (std::size_t job = 0; job < instance.times.size(); ++job) {
    const std::int64_t machine = schedule.assignment[job];
    if (machine < 0 || machine >= instance.machines) fail("job " + std::to_string(job) + " is on no machine");
    load[static_cast<std::size_t>(machine)] += instance.times[job];
  }
  if (load != schedule.load) fail("the load of a machine is not that of its jobs");
}

}  // namespace terrace::stages
