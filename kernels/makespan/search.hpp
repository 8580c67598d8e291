// The search for the least makespan, round by round.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/device/thread_pool.hpp"
#include "kernels/makespan/completion.hpp"
#include "kernels/makespan/failed_sets.hpp"
#include "kernels/makespan/improve.hpp"
#include "kernels/makespan/jobs.hpp"

namespace terrace::makespan {

/// The most jobs that branch and bound is tried with: each machine that it begins looks at all jobs that are left.
inline constexpr i64 most_searched = 1 << 14;

/// All that a search knows.
struct SearchState {
  i64 rounds = 0;              // that are done
  i64 improved = 0;            // the last round that found a better schedule
  i64 lower = 0;               // no schedule has a smaller makespan
  i64 upper = 0;               // makespan of `best`
  i64 reach = 1;               // the next target is lower + reach - 1
  i64 target = 0;              // of the open positions; 0: none was begun
  Machines best = {};          // a schedule
  std::vector<Position> open;  // subtrees that are left of the target's search

  bool is_optimal() const { return lower >= upper; }
};

/// Rounds on all threads. Some improve the best schedule by local search. The others search subtrees for a schedule
/// of at most a target, from the lower bound on: one that has none raises the bound, and the steps by which targets
/// rise double as long as that takes little time. A thread that has no subtree left is handed a part of another
/// one's.
class ScheduleSearch {
 public:
  /// @param jobs outlive it @param memory bytes for sets that failed, of all threads together
  ScheduleSearch(const SortedJobs& jobs, device::ThreadPool& pool, std::size_t memory);

  /// Searches for about so many seconds, or until the best schedule is proved to be the best one.
  /// @param most_open positions that `state` may have after it, and has before it
  /// @param aborted asked now and then; true: it leaves `state` in any state, soon
  void round(SearchState& state, double seconds, i64 most_open, const std::function<bool()>& aborted);

 private:
  const SortedJobs& jobs_;
  device::ThreadPool& pool_;
  std::vector<std::optional<LocalSearch>> local_;  // of each thread
  std::vector<FailedSets> failed_;
  std::vector<i64> failed_targets_;  // for which these fail
};

}  // namespace terrace::makespan
