// The search for the least makespan: bounds, even splits, local search, completions and rounds, on instances that a
// plain program solves.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <limits>
#include <random>

#include "kernels/makespan/bounds.hpp"
#include "kernels/makespan/completion.hpp"
#include "kernels/makespan/improve.hpp"
#include "kernels/makespan/search.hpp"
#include "kernels/makespan/split.hpp"
#include "kernels/makespan/state.hpp"

namespace terrace::makespan {
namespace {

/// The least makespan by trying all assignments, in which no machine begins before the one of smaller index.
i64 least(const SortedJobs& jobs) {
  std::vector<i64> load(static_cast<std::size_t>(jobs.machines));
  i64 best = std::numeric_limits<i64>::max();
  const std::function<void(i64, std::size_t)> place = [&](i64 job, std::size_t used) {
    if (job == jobs.count()) {
      best = std::min(best, *std::max_element(load.begin(), load.end()));
      return;
    }
    for (std::size_t machine = 0; machine < std::min(used + 1, load.size()); ++machine) {
      load[machine] += jobs[job];
      place(job + 1, std::max(used, machine + 1));
      load[machine] -= jobs[job];
    }
  };
  place(0, 0);
  return best;
}

SortedJobs random_jobs(std::mt19937_64& random, std::size_t most = 10) {
  const auto draw = [&](i64 least, i64 most_drawn) {
    return std::uniform_int_distribution<i64>(least, most_drawn)(random);
  };
  std::vector<i64> times(static_cast<std::size_t>(draw(1, static_cast<i64>(most))));
  const i64 longest = std::vector<i64>{2, 9, 40, 1000, i64{1} << 52}[static_cast<std::size_t>(draw(0, 4))];
  const i64 shortest = draw(0, 2) == 0 ? longest * 3 / 4 : 1;
  for (i64& time : times) time = draw(std::max<i64>(1, shortest), longest);
  if (draw(0, 2) == 0) times.back() = std::max<i64>(1, longest / 5);
  std::sort(times.begin(), times.end(), std::greater<>{});
  return {std::move(times), draw(1, 4)};
}

/// All jobs on one machine after another.
Machines in_turn(const SortedJobs& jobs) {
  Machines machines;
  for (i64 job = 0; job < jobs.count(); ++job) machines.push_back(static_cast<i32>(job % jobs.machines));
  return machines;
}

constexpr std::size_t some_memory = 1 << 16;

FailedSets sets_for(const SortedJobs& jobs, std::size_t memory = some_memory) {
  return {(jobs.count() + 63) / 64, memory};
}

/// Searches subtrees, each left after every `often`-th question, started again by another search, and divided where
/// it can be. @return true if a schedule was found
bool found_in_parts(const SortedJobs& jobs, i64 target, int often) {
  FailedSets failed = sets_for(jobs);
  std::vector<Position> open{{}};
  int asked = 0;
  while (!open.empty()) {
    Completion search(jobs, failed);
    search.start(target, open.back());
    open.pop_back();
    const Completion::End end = search.run([&] {
      if (auto part = search.give()) open.push_back(*std::move(part));
      return ++asked % often == 0;
    });
    if (end == Completion::End::found) {
      CHECK(makespan_of(jobs, search.machines()) <= target);
      return true;
    }
    if (end == Completion::End::left) open.push_back(search.position());
  }
  return false;
}

SearchState state_of(const SortedJobs& jobs) {
  SearchState state;
  state.best = in_turn(jobs);
  state.upper = makespan_of(jobs, state.best);
  state.lower = simple_bound(jobs);
  return state;
}

/// 100 jobs whose least makespan takes long to prove.
SortedJobs hard_jobs() {
  std::mt19937_64 random(7);
  std::vector<i64> times(100);
  for (i64& time : times) time = std::uniform_int_distribution<i64>(1, 1'000'000)(random);
  std::sort(times.begin(), times.end(), std::greater<>{});
  return {std::move(times), 25};
}

}  // namespace

TEST_CASE("bounds are at most the least makespan") {
  std::mt19937_64 random(1);
  int reached = 0, better = 0;
  for (int n = 0; n < 1000; ++n) {
    const SortedJobs jobs = random_jobs(random);
    const i64 truth = least(jobs), simple = simple_bound(jobs);
    const i64 bound = bound_by_packing(jobs, simple, makespan_of(jobs, in_turn(jobs)));
    REQUIRE(simple <= bound);
    REQUIRE(bound <= truth);
    reached += bound == truth;
    better += bound > simple;
  }
  CHECK(reached > 300);
  CHECK(better > 20);
}

TEST_CASE("numbers of long jobs bound the makespan where their sum does not") {
  // A machine has five long jobs at most, so one has four and the short job, and the others hold the rest.
  std::vector<i64> times(12, 110);
  times.resize(24, 100);
  times.push_back(20);
  const SortedJobs jobs(times, 5);
  CHECK(simple_bound(jobs) == 508);
  CHECK(bound_by_packing(jobs, 508, 1000) == 520);
}

TEST_CASE("even splits are the best ones where all are tried") {
  std::mt19937_64 random(2);
  EvenSplit even;
  CHECK(even.search({}, 0, 1) == 0);
  for (int n = 0; n < 300; ++n) {
    const SortedJobs jobs = random_jobs(random);
    i64 best = std::numeric_limits<i64>::max();
    for (u64 side = 0; side < u64{1} << jobs.count(); ++side) {
      i64 difference = 0;
      for (i64 job = 0; job < jobs.count(); ++job) difference += (side >> job & 1) != 0 ? jobs[job] : -jobs[job];
      best = std::min(best, std::abs(difference));
    }
    REQUIRE(even.search(jobs.times, 0, 1 << 20) == best);
    i64 difference = 0;
    const auto sides = even.sides();
    for (i64 job = 0; job < jobs.count(); ++job) {
      difference += sides[static_cast<std::size_t>(job)] != 0 ? jobs[job] : -jobs[job];
    }
    REQUIRE(std::abs(difference) == best);
    // The first split that is tried is that of the largest differences.
    REQUIRE(even.search(jobs.times, 0, 1) >= best);
  }
}

TEST_CASE("local search never makes a schedule worse, and finds the best one of few jobs") {
  std::mt19937_64 random(3);
  int best = 0;
  for (int n = 0; n < 200; ++n) {
    const SortedJobs jobs = random_jobs(random);
    const Machines before = in_turn(jobs);
    const i64 truth = least(jobs), first = makespan_of(jobs, before);
    LocalSearch local(jobs, before, static_cast<u64>(n));
    int asked = 0;
    local.run(truth, 0, [&] { return ++asked > 300; });
    REQUIRE(makespan_of(jobs, local.machines()) == local.makespan());
    REQUIRE(local.makespan() <= first);
    best += local.makespan() == truth;
  }
  CHECK(best > 190);
}

TEST_CASE("local search moves the shorter ones of many jobs") {
  std::mt19937_64 random(4);
  std::vector<i64> times(1000);
  for (i64& time : times) time = std::uniform_int_distribution<i64>(1, 1000)(random);
  std::sort(times.begin(), times.end(), std::greater<>{});
  const SortedJobs jobs(times, 3);
  LocalSearch local(jobs, in_turn(jobs), 5);
  local.run(simple_bound(jobs), 0, [] { return false; });
  CHECK(makespan_of(jobs, local.machines()) == simple_bound(jobs));
}

TEST_CASE("local search packs several machines anew where no split of two helps") {
  // Three machines of 12: 5 + 4 + 3 each. No two of these machines can be split better.
  const SortedJobs jobs({5, 5, 5, 4, 4, 4, 3, 3, 3}, 3);
  const Machines before{0, 0, 1, 1, 1, 2, 2, 2, 2};
  REQUIRE(makespan_of(jobs, before) == 13);
  LocalSearch local(jobs, before, 1);
  int asked = 0;
  local.run(12, 0, [&] { return ++asked > 100; });
  CHECK(local.makespan() == 12);
}

TEST_CASE("completions find a schedule of each target from the least makespan on, and none below") {
  std::mt19937_64 random(5);
  for (int n = 0; n < 1000; ++n) {
    const SortedJobs jobs = random_jobs(random);
    const i64 truth = least(jobs);
    for (const std::size_t memory : {std::size_t{0}, some_memory}) {
      FailedSets failed = sets_for(jobs, memory);
      Completion search(jobs, failed);
      for (const i64 target : {truth - 1, truth, truth + 1}) {
        failed.clear();
        search.start(target, {});
        const bool found = search.run([] { return false; }) == Completion::End::found;
        REQUIRE(found == (target >= truth));
        if (found) REQUIRE(makespan_of(jobs, search.machines()) <= target);
      }
    }
  }
}

TEST_CASE("completions in parts find the same") {
  std::mt19937_64 random(6);
  for (int n = 0; n < 300; ++n) {
    const SortedJobs jobs = random_jobs(random, 14);
    FailedSets failed = sets_for(jobs);
    Completion whole(jobs, failed);
    const i64 simple = simple_bound(jobs);
    for (const i64 target : {simple - 1, simple, simple + simple / 50}) {
      failed.clear();
      whole.start(target, {});
      const bool found = whole.run([] { return false; }) == Completion::End::found;
      for (const int often : {1, 2, 1000}) REQUIRE(found_in_parts(jobs, target, often) == found);
    }
  }
}

TEST_CASE("sets that failed are found until another takes their place or they are forgotten") {
  FailedSets sets(2, 1 << 12);
  const std::vector<u64> one{1, 2}, other{1, 3};
  CHECK_FALSE(sets.has(one, 4));
  sets.add(one, 4);
  CHECK(sets.has(one, 4));
  CHECK_FALSE(sets.has(one, 3));
  CHECK_FALSE(sets.has(other, 4));
  sets.clear();
  CHECK_FALSE(sets.has(one, 4));
  FailedSets none(2, 8);
  none.add(one, 4);
  CHECK_FALSE(none.has(one, 4));
}

TEST_CASE("rounds end with the least makespan") {
  std::mt19937_64 random(8);
  device::ThreadPool pool(3);
  for (int n = 0; n < 40; ++n) {
    const SortedJobs jobs = random_jobs(random);
    const i64 truth = least(jobs);
    SearchState state = state_of(jobs);
    ScheduleSearch search(jobs, pool, 1 << 20);
    while (!state.is_optimal()) {
      search.round(state, 0.01, 4, [] { return false; });
      REQUIRE(state.lower <= truth);
      REQUIRE(state.upper >= truth);
      REQUIRE(makespan_of(jobs, state.best) == state.upper);
    }
    REQUIRE(state.upper == truth);
  }
}

TEST_CASE("a round leaves at most so many subtrees, from which a later one goes on") {
  const SortedJobs jobs = hard_jobs();
  device::ThreadPool pool(4);
  const StateLayout layout{jobs.count(), 6};
  std::vector<i32> words(static_cast<std::size_t>(layout.words()));
  SearchState state = state_of(jobs);
  i64 most = 0;
  for (int n = 0; n < 8; ++n) {
    ScheduleSearch search(jobs, pool, 1 << 20);
    search.round(state, 0.05, layout.positions, [] { return false; });
    REQUIRE(std::ssize(state.open) <= layout.positions);
    most = std::max<i64>(most, std::ssize(state.open));
    layout.pack(state, words);
    const SearchState again = layout.unpack(words);
    REQUIRE(again.rounds == n + 1);
    REQUIRE((again.lower == state.lower && again.upper == state.upper && again.best == state.best));
    REQUIRE((again.reach == state.reach && again.target == state.target && again.improved == state.improved));
    REQUIRE(again.open.size() == state.open.size());
    for (std::size_t i = 0; i < again.open.size(); ++i) {
      REQUIRE((again.open[i].floor == state.open[i].floor && again.open[i].next == state.open[i].next));
      if (!state.open[i].machines.empty()) REQUIRE(again.open[i].machines == state.open[i].machines);
    }
    state = again;
  }
  CHECK(most > 1);
}

TEST_CASE("a round that is aborted ends soon") {
  const SortedJobs jobs = hard_jobs();
  device::ThreadPool pool(2);
  SearchState state = state_of(jobs);
  ScheduleSearch search(jobs, pool, 1 << 20);
  std::atomic<int> asked{0};
  const auto begin = std::chrono::steady_clock::now();
  search.round(state, 600, 8, [&] { return ++asked > 100; });
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

}  // namespace terrace::makespan
