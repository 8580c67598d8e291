// A round of a search as its threads share it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

#include "kernels/makespan/search.hpp"

namespace terrace::makespan {

/// A subtree of the search for a target.
struct Subtree {
  i64 target = 0;
  u64 tree = 0;  // the number of the target's search in the round
  Position position;
};

/// Members may be called by several threads at once.
class SharedSearch {
 public:
  SharedSearch(SearchState& state, double seconds, i64 most_open, const std::function<bool()>& aborted);

  /// True if the round is to end: its time is up, or the best schedule is proved.
  bool is_over() const;
  i64 lower() const { return lower_.load(std::memory_order_relaxed); }
  i64 upper() const { return upper_.load(std::memory_order_relaxed); }
  /// The best schedule.
  Machines best();
  /// Takes the schedule if it is better than the best one.
  void offer(const Machines& machines, i64 makespan);

  /// A subtree to search, begun where there is none; waits for one while other threads have some. nullopt: the round
  /// is over.
  std::optional<Subtree> take();
  /// Called by the thread that searches a subtree every so many steps: false if it is to leave it.
  bool goes_on(const Subtree& subtree, i64 steps);
  /// True if the thread that searches a subtree should hand over a part of it.
  bool wants_part() const { return hungry_.load(std::memory_order_relaxed) > 0; }
  /// Adds a part of a subtree if there is room for it.
  void give(const Subtree& subtree, Completion& search);
  /// Ends what take() began. @param left the position where it was left
  void put_back(const Subtree& subtree, Completion::End end, Position left);

 private:
  using Clock = std::chrono::steady_clock;

  void set_bounds(i64 lower, i64 upper);
  void end_tree();
  void begin_tree();

  SearchState& state_;  // guarded by mutex_ until all threads are done
  Clock::time_point end_;
  i64 most_open_;
  const std::function<bool()>& aborted_;
  std::atomic<i64> lower_, upper_;
  std::atomic<u64> tree_{1};
  std::atomic<i64> hungry_{0};      // threads that wait for a subtree
  std::atomic<i64> tree_steps_{0};  // of the target's search in this round
  i64 active_ = 0;                  // subtrees that threads search
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace terrace::makespan
