#include "stages/makespan/exact/definition.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/makespan/bounds.hpp"
#include "stages/makespan/heuristics.hpp"
#include "stages/makespan/inputs.hpp"

namespace terrace::stages {

bool is_exact(const Settings& settings) { return settings.number("epsilon") == 0; }

ExactDefinition define_exact(const Request& request) {
  const Settings& settings = request.stage.settings;
  ExactDefinition definition;
  definition.instance = read_instance(request);
  definition.order = longest_first(definition.instance.times);
  std::vector<makespan::i64> falling;
  for (const std::int64_t job : definition.order) {
    const std::int64_t time = definition.instance.times[static_cast<std::size_t>(job)];
    if (time > 0) falling.push_back(time);
  }
  definition.jobs = {std::move(falling), definition.instance.machines};
  const JobSchedule known = multifit(definition.instance, longest_processing_time(definition.instance));
  makespan::SearchState& begin = definition.begin;
  for (std::int64_t n = 0; n < definition.jobs.count(); ++n) {
    const auto job = static_cast<std::size_t>(definition.order[static_cast<std::size_t>(n)]);
    begin.best.push_back(static_cast<makespan::i32>(known.assignment[job]));
  }
  begin.upper = known.makespan();
  begin.lower = makespan::bound_by_packing(definition.jobs, makespan::simple_bound(definition.jobs), begin.upper);
  definition.layout.jobs = definition.jobs.count();
  const double seconds = settings.find<double>("time_limit").value_or(default_time_limit);
  definition.nanoseconds = std::llround(std::min(seconds, 9e9) * 1e9);
  return definition;
}

JobSchedule schedule_of(const ExactDefinition& definition, const makespan::Machines& machines) {
  const Instance& instance = definition.instance;
  JobSchedule schedule;
  schedule.assignment.assign(instance.times.size(), 0);
  schedule.load.assign(static_cast<std::size_t>(instance.machines), 0);
  for (std::size_t n = 0; n < machines.size(); ++n) {
    const auto job = static_cast<std::size_t>(definition.order[n]);
    schedule.assignment[job] = machines[n];
    schedule.load[static_cast<std::size_t>(machines[n])] += instance.times[job];
  }
  return schedule;
}

}  // namespace terrace::stages
