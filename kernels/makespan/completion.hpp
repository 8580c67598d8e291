// Depth-first search for a schedule of at most a given makespan, one machine after another.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/makespan/failed_sets.hpp"
#include "kernels/makespan/jobs.hpp"

namespace terrace::makespan {

/// A place in the search for a target, and the subtree that is still to be searched from there.
struct Position {
  i64 floor = 0;      // decisions before this one are not taken back
  i64 next = 0;       // the job that is looked at next; more than the number of jobs: another machine begins
  Machines machines;  // of each job; -1: none yet. The jobs of a machine were chosen by falling time
};

/// Bin completion (Korf, "A new algorithm for optimal bin packing", 2002; Martello and Toth, "Lower bounds and
/// reduction procedures for the bin packing problem", 1990). The machine at hand takes the longest job left, then any
/// jobs that fit, such that
/// - no job that was passed over would fit in addition, nor instead of a shorter job of this machine, nor instead of
///   two that are together as long or shorter: the schedule with it is as good;
/// - what it leaves unused of the target is at most the slack: machines * target - sum, less what the machines before
///   it leave unused.
/// A machine begins only if do_not_fit() does not exclude the jobs that are left, and they did not fail before.
class Completion {
 public:
  enum class End { found, exhausted, left };

  /// @param failed sets that fail for the same target; both outlive it
  Completion(const SortedJobs& jobs, FailedSets& failed);

  /// Goes to a position; Position{} with no machines: the whole search.
  void start(i64 target, const Position& position);
  /// Searches on until a schedule is found, the subtree is exhausted, or leave() holds, which is asked now and then.
  End run(const std::function<bool()>& leave);
  Position position() const;
  /// Hands over a part of the subtree: the alternatives to the first decision that can be taken back. It is no longer
  /// a part of this search. nullopt if there is none.
  std::optional<Position> give();
  /// The schedule that was found.
  const Machines& machines() const { return machines_; }
  i64 target() const { return target_; }

 private:
  __extension__ using Wide = __int128;

  /// A job of a machine.
  struct Choice {
    i32 job;
    i64 least;  // load that the machine must reach, as it was known before this choice
  };
  struct Bin {
    std::size_t first;  // its first choice
    i64 load;
    Wide slack;  // when it began
  };

  bool is_free(i64 job) const { return (free_[static_cast<std::size_t>(job) / 64] >> (job % 64) & 1) != 0; }
  void flip(i64 job) { free_[static_cast<std::size_t>(job) / 64] ^= u64{1} << (job % 64); }
  i64 next_free(i64 job) const;
  i64 free_before(i64 job) const;
  Wide slack() const;
  void take(i64 job);
  void put_back(i64 job);
  bool step(End& end);
  bool begin_machine();
  bool fill_machine();
  bool go_back();
  bool can_reach(i64 job) const;
  bool is_dominated() const;
  bool has_free_between(i64 least, i64 most) const;
  void pass_over(i64 begin, i64 end);
  bool left_jobs_fail();

  const SortedJobs& jobs_;
  FailedSets& failed_;
  i64 target_ = 0;
  std::size_t floor_ = 0;
  i64 next_ = 0;
  i64 least_ = 0;       // load that the machine at hand must reach
  bool begins_ = true;  // the next step begins a machine
  Machines machines_;
  std::vector<u64> free_;  // a bit of each job
  std::vector<Choice> choices_;
  std::vector<Bin> bins_;
  std::vector<i64> left_, sums_;  // of left_jobs_fail()
};

}  // namespace terrace::makespan
