// Jobs as tables see them, and the largest table of a search.
#include <catch2/catch.hpp>
#include <random>

#include "stages/makespan/rounding.hpp"

namespace terrace::stages {

TEST_CASE("long jobs are over T / k, and rounded down to multiples of T / k^2") {
  const Instance instance{{30, 10, 21, 26, 11, 33, 20}, 3};
  const Rounding rounding(instance, 3);
  const RoundedJobs jobs = rounding.jobs(33);  // over 11, multiples of 3
  CHECK(jobs.sizes == std::vector<std::int64_t>{33, 30, 24, 21, 18});
  CHECK(jobs.jobs == std::vector<std::vector<std::int64_t>>{{5}, {0}, {3}, {2}, {6}});
  CHECK(jobs.short_jobs == std::vector<std::int64_t>{4, 1});
  CHECK(jobs.extents() == Extents{2, 2, 2, 2, 2});
  CHECK(rounding.jobs(32).short_jobs == std::vector<std::int64_t>{1});
  CHECK(rounding.all_short(99));
  CHECK(!rounding.all_short(98));
  const Rounding fine(instance, 100);
  CHECK(fine.jobs(40).sizes == std::vector<std::int64_t>{33, 30, 26, 21, 20, 11, 10});
}

TEST_CASE("the size of a table is that of its extents") {
  std::mt19937_64 random(2);
  for (int n = 0; n < 200; ++n) {
    Instance instance{{}, 4};
    for (int job = 0; job < 30; ++job) instance.times.push_back(static_cast<std::int64_t>(random() % 300));
    const Rounding rounding(instance, 1 + static_cast<std::int64_t>(random() % 5));
    const auto target = static_cast<std::int64_t>(300 + random() % 300);
    const Extents extents = rounding.jobs(target).extents();
    CHECK(rounding.size(target).dimensions == extents.rank());
    CHECK(rounding.size(target).cells == static_cast<double>(volume(extents)));
    CHECK(rounding.all_short(target) == (extents.rank() == 0));
  }
}

TEST_CASE("extents change at the listed targets alone") {
  std::mt19937_64 random(3);
  for (int n = 0; n < 20; ++n) {
    Instance instance{{}, 4};
    for (int job = 0; job < 15; ++job) instance.times.push_back(static_cast<std::int64_t>(random() % 1000));
    const Rounding rounding(instance, 2 + static_cast<std::int64_t>(random() % 4));
    const std::int64_t lower = instance.least_makespan(), upper = instance.most_makespan();
    const std::vector<std::int64_t> changes = rounding.changes(lower, upper, static_cast<std::size_t>(upper - lower));
    CHECK(changes.front() == lower);
    std::size_t next = 0;
    Extents extents;
    for (std::int64_t target = lower; target <= upper; ++target) {
      const Extents here = rounding.jobs(target).extents();
      if (next < changes.size() && changes[next] == target) ++next;
      else REQUIRE(here == extents);
      extents = here;
    }
  }
}

TEST_CASE("the largest table is found") {
  std::mt19937_64 random(4);
  for (int n = 0; n < 20; ++n) {
    Instance instance{{}, 4};
    for (int job = 0; job < 15; ++job) instance.times.push_back(static_cast<std::int64_t>(random() % 1000));
    const Rounding rounding(instance, 3);
    const std::int64_t lower = instance.least_makespan(), upper = instance.most_makespan();
    double most = 0;
    for (std::int64_t target = lower; target <= upper; ++target) {
      most = std::max(most, rounding.size(target).cells);
    }
    CHECK(rounding.largest(lower, upper).cells.cells == most);
  }
}

TEST_CASE("cells are as wide as the number of machines or jobs") {
  CHECK(cell_type({std::vector<std::int64_t>(1000, 1), 253}) == ElementType::u8);
  CHECK(cell_type({std::vector<std::int64_t>(1000, 1), 254}) == ElementType::u16);
  CHECK(cell_type({std::vector<std::int64_t>(70000, 1), 254}) == ElementType::i32);
}

}  // namespace terrace::stages
