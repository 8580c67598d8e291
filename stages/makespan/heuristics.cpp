#include "stages/makespan/heuristics.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <utility>

namespace terrace::stages {
namespace {

constexpr std::int64_t most_placed = 1 << 27;  // jobs in all capacities that MULTIFIT tries

/// The room that is left on machines; finds the first one with enough in logarithmic time.
class Rooms {
 public:
  Rooms(std::int64_t machines, std::int64_t capacity) {
    while (leaves_ < static_cast<std::size_t>(machines)) leaves_ *= 2;
    room_.assign(2 * leaves_, -1);
    for (std::int64_t machine = 0; machine < machines; ++machine) {
      room_[leaves_ + static_cast<std::size_t>(machine)] = capacity;
    }
    for (std::size_t node = leaves_ - 1; node > 0; --node) join(node);
  }

  /// Takes the room from the first machine that has it. @return the machine, nullopt if none has
  std::optional<std::int64_t> take(std::int64_t time) {
    if (room_[1] < time) return std::nullopt;
    std::size_t node = 1;
    while (node < leaves_) node = room_[2 * node] >= time ? 2 * node : 2 * node + 1;
    const auto machine = static_cast<std::int64_t>(node - leaves_);
    room_[node] -= time;
    while (node /= 2) join(node);
    return machine;
  }

 private:
  void join(std::size_t node) { room_[node] = std::max(room_[2 * node], room_[2 * node + 1]); }

  std::size_t leaves_ = 1;
  std::vector<std::int64_t> room_;  // of a tree: of each node the most below it
};

/// First fit of the jobs in that order; nullopt if they do not fit.
std::optional<JobSchedule> first_fit(const Instance& instance, const std::vector<std::int64_t>& jobs,
                                     std::int64_t capacity) {
  Rooms rooms(instance.machines, capacity);
  JobSchedule schedule;
  schedule.assignment.resize(jobs.size());
  schedule.load.resize(static_cast<std::size_t>(instance.machines));
  for (const std::int64_t job : jobs) {
    const std::int64_t time = instance.times[static_cast<std::size_t>(job)];
    const auto machine = rooms.take(time);
    if (!machine) return std::nullopt;
    schedule.assignment[static_cast<std::size_t>(job)] = *machine;
    schedule.load[static_cast<std::size_t>(*machine)] += time;
  }
  return schedule;
}

}  // namespace

void add_to_least_loaded(const Instance& instance, const std::vector<std::int64_t>& jobs, JobSchedule& schedule) {
  using Entry = std::pair<std::int64_t, std::int64_t>;  // load, machine
  std::vector<Entry> entries;
  for (std::size_t machine = 0; machine < schedule.load.size(); ++machine) {
    entries.emplace_back(schedule.load[machine], static_cast<std::int64_t>(machine));
  }
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue(std::greater<>{}, std::move(entries));
  for (const std::int64_t job : jobs) {
    auto [load, machine] = queue.top();
    queue.pop();
    load += instance.times[static_cast<std::size_t>(job)];
    schedule.assignment[static_cast<std::size_t>(job)] = machine;
    schedule.load[static_cast<std::size_t>(machine)] = load;
    queue.emplace(load, machine);
  }
}

JobSchedule longest_processing_time(const Instance& instance) {
  JobSchedule schedule;
  schedule.assignment.assign(instance.times.size(), -1);
  schedule.load.assign(static_cast<std::size_t>(instance.machines), 0);
  add_to_least_loaded(instance, longest_first(instance.times), schedule);
  return schedule;
}

JobSchedule multifit(const Instance& instance, const JobSchedule& known) {
  const std::vector<std::int64_t> jobs = longest_first(instance.times);
  JobSchedule best = known;
  std::int64_t low = instance.least_makespan(), high = best.makespan();
  // A few capacities are enough for very many jobs: the bounds are close.
  const auto most = std::max<std::int64_t>(8, most_placed / static_cast<std::int64_t>(jobs.size() + 1));
  for (std::int64_t tried = 0; low < high && tried < most; ++tried) {
    const std::int64_t capacity = low + (high - low) / 2;
    if (auto found = first_fit(instance, jobs, capacity)) {
      best = *std::move(found);
      high = best.makespan();
    } else {
      low = capacity + 1;
    }
  }
  return best;
}

}  // namespace terrace::stages
