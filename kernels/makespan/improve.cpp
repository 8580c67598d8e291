#include "kernels/makespan/improve.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/makespan/completion.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::makespan {
namespace {

constexpr std::size_t failed_bytes = 1 << 16;  // of a search by pack_anew()

}  // namespace

LocalSearch::LocalSearch(const SortedJobs& jobs, const Machines& machines, u64 seed)
    : jobs_(jobs),
      on_(static_cast<std::size_t>(jobs.machines)),
      load_(static_cast<std::size_t>(jobs.machines)),
      random_(seed) {
  for (i64 job = 0; job < jobs.count(); ++job) {
    const i32 machine = machines[static_cast<std::size_t>(job)];
    on(machine).push_back(static_cast<i32>(job));
    load(machine) += jobs[job];
  }
}

i64 LocalSearch::makespan() const { return *std::max_element(load_.begin(), load_.end()); }

Machines LocalSearch::machines() const {
  Machines machines(static_cast<std::size_t>(jobs_.count()));
  for (std::size_t machine = 0; machine < on_.size(); ++machine) {
    for (const i32 job : on_[machine]) machines[static_cast<std::size_t>(job)] = static_cast<i32>(machine);
  }
  return machines;
}

void LocalSearch::run(i64 goal, i64 below, const std::function<bool()>& leave) {
  while (true) {
    const auto heaviest = static_cast<i32>(std::max_element(load_.begin(), load_.end()) - load_.begin());
    const i64 makespan = load(heaviest);
    if (makespan <= goal || makespan < below || leave()) return;
    bool helped = false;
    for (const i32 other : others(heaviest)) {
      helped = split(heaviest, other, goal);
      if (helped) break;
      if (leave()) return;
    }
    if (helped) continue;
    ++stuck_;
    if (!pack_anew(heaviest, std::max(goal, makespan - 1), leave)) exchange_some(makespan);
  }
}

/// Machines to be tried, by turns the least loaded ones first and in a random order.
std::vector<i32> LocalSearch::others(i32 heaviest) {
  std::vector<i32> all;
  if (stuck_ % 2 == 0 || load_.size() <= most_tried) {
    all.resize(load_.size());
    std::iota(all.begin(), all.end(), 0);
    const std::size_t first = std::min(all.size(), most_tried);
    if (stuck_ % 2 == 0) {
      std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                        [&](i32 a, i32 b) { return std::pair(load(a), a) < std::pair(load(b), b); });
    } else {
      std::shuffle(all.begin(), all.end(), random_);
    }
    all.resize(first);
  } else {
    for (std::size_t n = 0; n < most_tried; ++n) all.push_back(static_cast<i32>(draw(std::ssize(load_))));
  }
  std::erase(all, heaviest);
  return all;
}

/// @return true if the later end of the two machines is earlier now
bool LocalSearch::split(i32 heaviest, i32 other, i64 goal) {
  const i64 both = load(heaviest) + load(other);
  if ((both + 1) / 2 >= load(heaviest)) return false;
  const i32 machine[2] = {heaviest, other};
  std::vector<std::pair<i32, int>> moved;  // jobs and their sides
  std::vector<i32> staying[2];
  for (int side : {0, 1}) {
    for (const i32 job : on(machine[side])) moved.emplace_back(job, side);
  }
  if (std::ssize(moved) > most_split) {
    std::nth_element(moved.begin(), moved.end() - most_split, moved.end());
    std::for_each(moved.begin(), moved.end() - most_split,
                  [&](auto job) { staying[job.second].push_back(job.first); });
    moved.erase(moved.begin(), moved.end() - most_split);
  }
  i64 kept[2] = {0, 0};
  for (int side : {0, 1}) {
    for (const i32 job : staying[side]) kept[side] += jobs_[job];
  }
  std::vector<i64> numbers;
  numbers.reserve(moved.size() + 1);
  for (const auto& [job, side] : moved) numbers.push_back(jobs_[job]);
  if (kept[0] != kept[1]) numbers.push_back(std::abs(kept[0] - kept[1]));  // as a job of the side that keeps more
  const i64 difference = even_.search(numbers, std::max(both % 2, 2 * goal - both), most_nodes);
  if ((both + difference) / 2 >= load(heaviest)) return false;
  const std::vector<std::uint8_t> sides = even_.sides();
  const int flip = kept[0] == kept[1] ? 0 : sides.back() ^ (kept[0] > kept[1] ? 0 : 1);
  for (std::size_t n = 0; n < moved.size(); ++n) staying[sides[n] ^ flip].push_back(moved[n].first);
  for (int side : {0, 1}) {
    load(machine[side]) = 0;
    for (const i32 job : staying[side]) load(machine[side]) += jobs_[job];
    on(machine[side]) = std::move(staying[side]);
  }
  return true;
}

/// @return true if the machines that are packed anew end at the target
bool LocalSearch::pack_anew(i32 heaviest, i64 target, const std::function<bool()>& leave) {
  std::vector<i32> group{heaviest};
  std::vector<i32> packed = on(heaviest);
  const std::size_t machines = std::min(packed_machines, load_.size());
  while (group.size() < machines) {
    const auto other = static_cast<i32>(draw(jobs_.machines));
    if (std::find(group.begin(), group.end(), other) != group.end()) continue;
    group.push_back(other);
    packed.insert(packed.end(), on(other).begin(), on(other).end());
  }
  if (packed.size() > most_packed) return false;
  std::sort(packed.begin(), packed.end());
  std::vector<i64> times;
  times.reserve(packed.size());
  for (const i32 job : packed) times.push_back(jobs_[job]);
  const SortedJobs jobs(std::move(times), std::ssize(group));
  FailedSets failed(ceiling(jobs.count(), 64), failed_bytes);
  Completion search(jobs, failed);
  search.start(target, {});
  int asked = 0;
  if (search.run([&] { return ++asked > most_questions || leave(); }) != Completion::End::found) return false;
  for (const i32 machine : group) {
    on(machine).clear();
    load(machine) = 0;
  }
  for (std::size_t n = 0; n < packed.size(); ++n) {
    const i32 machine = group[static_cast<std::size_t>(search.machines()[n])];
    on(machine).push_back(packed[n]);
    load(machine) += jobs_[packed[n]];
  }
  return true;
}

void LocalSearch::exchange_some(i64 most) {
  for (i64 n = 0; n < jobs_.machines; ++n) {
    const auto a = static_cast<i32>(draw(jobs_.machines)), b = static_cast<i32>(draw(jobs_.machines));
    if (a == b || on(a).empty() || on(b).empty()) continue;
    i32& of_a = on(a)[static_cast<std::size_t>(draw(std::ssize(on(a))))];
    i32& of_b = on(b)[static_cast<std::size_t>(draw(std::ssize(on(b))))];
    const i64 more = jobs_[of_a] - jobs_[of_b];
    if (load(a) - more > most || load(b) + more > most) continue;
    std::swap(of_a, of_b);
    load(a) -= more, load(b) += more;
  }
}

}  // namespace terrace::makespan
