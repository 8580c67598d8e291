// Bounds, simple schedules, the search, and the assignment of real jobs.
#include <catch2/catch.hpp>
#include <random>

#include "pipeline/base/error.hpp"
#include "stages/makespan/assignment.hpp"
#include "stages/makespan/heuristics.hpp"
#include "stages/makespan/search.hpp"

namespace terrace::stages {
namespace {

Instance random_instance(std::mt19937_64& random) {
  Instance instance;
  instance.machines = std::uniform_int_distribution<std::int64_t>(1, 9)(random);
  instance.times.resize(std::uniform_int_distribution<std::size_t>(0, 40)(random));
  for (std::int64_t& time : instance.times) time = std::uniform_int_distribution<std::int64_t>(0, 100)(random);
  return instance;
}

/// The least feasible target that a search finds, if all from `truth` on are feasible.
std::int64_t searched(std::int64_t lower, std::int64_t upper, std::int64_t probes, std::int64_t truth) {
  TargetSearch search(lower, upper, probes);
  while (!search.done()) {
    REQUIRE(!search.targets().empty());
    REQUIRE(static_cast<std::int64_t>(search.targets().size()) <= probes);
    std::int64_t first = 0;
    for (const std::int64_t target : search.targets()) {
      REQUIRE(target >= search.lower());
      REQUIRE(target < search.upper());
      if (target < truth) ++first;
    }
    search.advance(first);
  }
  REQUIRE(search.targets().empty());
  REQUIRE(search.best().has_value() == (truth < upper));
  return search.upper();
}

}  // namespace

TEST_CASE("bounds of an instance") {
  const Instance instance{{5, 7, 1}, 2};
  CHECK(instance.longest() == 7);
  CHECK(instance.mean_load() == 7);
  CHECK(instance.least_makespan() == 7);
  CHECK(instance.most_makespan() == 14);
  CHECK(Instance{{}, 3}.most_makespan() == 0);
}

TEST_CASE("LPT takes the longest job first, and the first of the least loaded machines") {
  // Graham's example, which LPT does worst: 4/3 - 1/(3m) of the optimum 9.
  const Instance instance{{5, 5, 4, 4, 3, 3, 3}, 3};
  const JobSchedule schedule = longest_processing_time(instance);
  CHECK(schedule.assignment == std::vector<std::int64_t>{0, 1, 2, 2, 0, 1, 0});
  CHECK(schedule.load == std::vector<std::int64_t>{11, 8, 8});
  CHECK(schedule.makespan() == 11);
  CHECK(multifit(instance, schedule).makespan() == 9);
}

TEST_CASE("schedules of random instances are schedules, and within the bounds") {
  std::mt19937_64 random(1);
  for (int n = 0; n < 300; ++n) {
    const Instance instance = random_instance(random);
    const JobSchedule lpt = longest_processing_time(instance), better = multifit(instance, lpt);
    check_schedule(instance, lpt);
    check_schedule(instance, better);
    CHECK(lpt.makespan() <= instance.most_makespan());
    CHECK(better.makespan() <= lpt.makespan());
    CHECK(better.makespan() >= instance.least_makespan());
  }
}

TEST_CASE("a schedule that is none is found out") {
  const Instance instance{{2, 3}, 2};
  check_schedule(instance, {{0, 1}, {2, 3}});
  CHECK_THROWS_AS(check_schedule(instance, {{0}, {2, 0}}), ComputeError);
  CHECK_THROWS_AS(check_schedule(instance, {{0, 2}, {2, 3}}), ComputeError);
  CHECK_THROWS_AS(check_schedule(instance, {{0, -1}, {2, 0}}), ComputeError);
  CHECK_THROWS_AS(check_schedule(instance, {{0, 1}, {2, 2}}), ComputeError);
}

TEST_CASE("a search finds the least feasible target with any number of probes") {
  for (const std::int64_t probes : {1, 2, 3, 4, 7, 64}) {
    for (std::int64_t width = 0; width < 40; ++width) {
      for (std::int64_t truth = 100; truth <= 100 + width; ++truth) {
        CHECK(searched(100, 100 + width, probes, truth) == truth);
      }
    }
    CHECK(searched(0, std::int64_t{1} << 56, probes, 123456789012345) == 123456789012345);
  }
}

TEST_CASE("targets of a round are those of the contract") {
  TargetSearch search(100, 200, 4);
  CHECK(search.targets() == std::vector<std::int64_t>{120, 140, 160, 180});
  search.advance(2);  // 160 is the smallest feasible
  CHECK(search.lower() == 141);
  CHECK(search.upper() == 160);
  CHECK(search.best()->round == 0);
  CHECK(search.best()->index == 2);
  CHECK(search.targets() == std::vector<std::int64_t>{144, 148, 152, 156});
  search.advance(4);  // none is
  CHECK(search.lower() == 157);
  CHECK(search.upper() == 160);
  CHECK(search.targets() == std::vector<std::int64_t>{157, 158, 159});
  search.advance(0);
  CHECK(search.done());
  CHECK(search.upper() == 157);
  CHECK(search.rounds() == 3);
}

TEST_CASE("real jobs take the places of rounded ones") {
  const Instance instance{{9, 1, 8, 5, 1, 1}, 3};
  RoundedJobs jobs;
  jobs.sizes = {8, 5};
  jobs.jobs = {{0, 2}, {3}};
  jobs.short_jobs = {1, 4, 5};
  const JobSchedule schedule = schedule_of(instance, jobs, {{1, 0}, {1, 1}});
  CHECK(schedule.assignment == std::vector<std::int64_t>{0, 2, 1, 1, 2, 2});
  CHECK(schedule.load == std::vector<std::int64_t>{9, 13, 3});
  check_schedule(instance, schedule);
  CHECK_THROWS_AS(schedule_of(instance, jobs, {{1, 0}}), ComputeError);
  CHECK_THROWS_AS(schedule_of(instance, jobs, {{2, 1}, {1, 0}}), ComputeError);
  CHECK_THROWS_AS(schedule_of(instance, jobs, {{1, 1}, {1, 0}, {0, 0}, {0, 0}}), ComputeError);
}

}  // namespace terrace::stages
