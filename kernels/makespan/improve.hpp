// Local search for a better schedule.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "kernels/makespan/jobs.hpp"
#include "kernels/makespan/split.hpp"

namespace terrace::makespan {

/// Splits the jobs of the most loaded machine and of another one anew, as evenly as a bounded search finds it. Where
/// that helps with none of the machines that are tried, searches for a schedule of the jobs of the most loaded
/// machine and some random ones that ends earlier, by bin completion. If there is none, either, exchanges random jobs
/// such that no machine ends later than the makespan.
class LocalSearch {
 public:
  LocalSearch(const SortedJobs& jobs, const Machines& machines, u64 seed);

  i64 makespan() const;
  Machines machines() const;

  /// Makes moves until the makespan is at most `goal`, lower than `below`, or leave() holds, which is asked before
  /// each split.
  void run(i64 goal, i64 below, const std::function<bool()>& leave);

 private:
  static constexpr std::ptrdiff_t most_split = 128;  // jobs; the longer ones of the two machines stay where they are
  static constexpr std::size_t most_tried = 64;      // machines that are split with the most loaded one at a time
  static constexpr i64 most_nodes = 2000;            // of a search for an even split
  static constexpr std::size_t packed_machines = 8;  // whose jobs are packed anew at a time
  static constexpr std::size_t most_packed = 256;    // jobs of these
  static constexpr int most_questions = 120;         // of the search for that: each after 256 steps

  std::vector<i32> others(i32 heaviest);
  bool split(i32 heaviest, i32 other, i64 goal);
  bool pack_anew(i32 heaviest, i64 target, const std::function<bool()>& leave);
  void exchange_some(i64 most);
  i64 draw(i64 count) { return static_cast<i64>(random_() % static_cast<u64>(count)); }
  std::vector<i32>& on(i32 machine) { return on_[static_cast<std::size_t>(machine)]; }
  i64& load(i32 machine) { return load_[static_cast<std::size_t>(machine)]; }

  const SortedJobs& jobs_;
  std::vector<std::vector<i32>> on_;  // jobs on each machine
  std::vector<i64> load_;
  std::mt19937_64 random_;
  EvenSplit even_;
  i64 stuck_ = 0;  // how often no split helped
};

}  // namespace terrace::makespan
