#include "kernels/makespan/search.hpp"

#include <algorithm>

#include "kernels/makespan/shared_search.hpp"

namespace terrace::makespan {
namespace {

constexpr double first_seconds = 0.1;        // of the first round, in which all threads improve the schedule
constexpr i64 most_with_failed_sets = 1024;  // jobs; a set of more takes too much room
constexpr i64 steps_a_question = 256;
constexpr i64 rounds_of_late = 20;

/// True if the thread improves the schedule in this round: all in the first one, then one of two; three of four while
/// that has helped of late, then one of four.
bool improves(const SearchState& state, int thread) {
  if (state.rounds == 0) return true;
  const i64 turn = state.rounds + thread;
  if (state.rounds < 4) return turn % 2 == 0;
  return (turn % 4 == 0) != (state.rounds - state.improved < rounds_of_late);
}

void improve(SharedSearch& shared, const SortedJobs& jobs, u64 seed, std::optional<LocalSearch>& local) {
  if (!local || local->makespan() > shared.upper()) local.emplace(jobs, shared.best(), seed);
  while (!shared.is_over()) {
    local->run(shared.lower(), shared.upper(), [&] { return shared.is_over(); });
    if (local->makespan() < shared.upper()) shared.offer(local->machines(), local->makespan());
  }
}

void search_subtrees(SharedSearch& shared, const SortedJobs& jobs, FailedSets& failed, i64& failed_target) {
  Completion search(jobs, failed);
  while (const auto subtree = shared.take()) {
    if (subtree->target != failed_target) failed.clear();
    failed_target = subtree->target;
    search.start(subtree->target, subtree->position);
    const Completion::End end = search.run([&] {
      if (shared.wants_part()) shared.give(*subtree, search);
      return !shared.goes_on(*subtree, steps_a_question);
    });
    if (end == Completion::End::found) shared.offer(search.machines(), makespan_of(jobs, search.machines()));
    shared.put_back(*subtree, end, search.position());
  }
}

}  // namespace

ScheduleSearch::ScheduleSearch(const SortedJobs& jobs, device::ThreadPool& pool, std::size_t memory)
    : jobs_(jobs),
      pool_(pool),
      local_(static_cast<std::size_t>(pool.size())),
      failed_targets_(static_cast<std::size_t>(pool.size())) {
  const std::size_t bytes = jobs.count() <= most_with_failed_sets ? memory / failed_targets_.size() : 0;
  for (int thread = 0; thread < pool.size(); ++thread) failed_.emplace_back((jobs.count() + 63) / 64, bytes);
}

void ScheduleSearch::round(SearchState& state, double seconds, i64 most_open, const std::function<bool()>& aborted) {
  const i64 upper = state.upper;
  SharedSearch shared(state, state.rounds == 0 ? std::min(seconds, first_seconds) : seconds, most_open, aborted);
  pool_.run_on_all([&](int thread) {
    const auto number = static_cast<std::size_t>(thread);
    if (improves(state, thread) || jobs_.count() > most_searched) {
      improve(shared, jobs_, static_cast<u64>(state.rounds * pool_.size() + thread), local_[number]);
    } else {
      search_subtrees(shared, jobs_, failed_[number], failed_targets_[number]);
    }
  });
  if (state.upper < upper) state.improved = state.rounds;
  ++state.rounds;
}

}  // namespace terrace::makespan
