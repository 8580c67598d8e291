// The phases of stencils: every step is made once, in order, and events come at their steps.
#include "stages/stencil/timeline.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <utility>
#include <vector>

namespace terrace::stages {
namespace {

struct Walk {
  std::int64_t steps = 0, passes = 0, rims = 0, finishes = 0, longest = 0, recorded = 0;
  std::map<std::int64_t, std::int64_t> snapshots, totals;  // index: step
};

/// Goes through all phases as a run does. @param stop number of the check that ends the stage; -1: none
Walk walk(const Timeline& timeline, std::int64_t stop = -1) {
  Walk walk;
  std::int64_t stopped = -1;
  for (std::int64_t number = 0;; ++number) {
    const auto phase = stopped >= 0 ? timeline.phase_after_stop(number, stopped) : timeline.phase(number);
    if (!phase) return walk;
    if (phase->work == StencilWork::record) {  // of the pass before it
      CHECK(phase->step == walk.recorded);
      CHECK(phase->step + phase->steps == walk.steps);
      CHECK(phase->passes == walk.passes - 1);
      walk.recorded = walk.steps;
      continue;
    }
    CHECK(phase->step == walk.steps);
    CHECK(phase->passes == walk.passes);
    switch (phase->work) {
      case StencilWork::rims:
        ++walk.rims;
        break;
      case StencilWork::pass:
        walk.steps += phase->steps;
        walk.longest = std::max(walk.longest, phase->steps);
        ++walk.passes;
        break;
      case StencilWork::snapshot:
        walk.snapshots[phase->index] = phase->step;
        break;
      case StencilWork::total:
        walk.totals[phase->index] = phase->step;
        if (phase->index == stop) stopped = number;
        break;
      case StencilWork::finish:
        ++walk.finishes;
        break;
      case StencilWork::record:
        break;
    }
  }
}

TEST_CASE("every step of a stencil is made once") {
  for (const std::int64_t steps : {0, 1, 2, 7, 20, 100}) {
    for (const std::int64_t pass : {1, 3, 16, 200}) {
      for (const bool rims : {false, true}) {
        const Timeline timeline({steps, {}, 0}, pass, rims);
        const Walk found = walk(timeline);
        CHECK(found.steps == steps);
        CHECK(found.longest <= pass);
        CHECK(found.passes == timeline.passes());
        CHECK(found.passes == (steps + pass - 1) / pass);
        CHECK(found.rims == (rims ? found.passes : 0));
        CHECK(found.finishes == (steps == 0 ? 1 : 0));
      }
    }
  }
}

TEST_CASE("passes of many steps make as many as kernels make at a time") {
  const auto steps_of = [](std::int64_t steps, std::int64_t most) {
    const Timeline timeline({steps, {}, 0}, most, false);
    std::vector<std::int64_t> found;
    for (std::int64_t number = 0; number < timeline.passes(); ++number)
      found.push_back(timeline.phase(number)->steps);
    return found;
  };
  using Steps = std::vector<std::int64_t>;
  CHECK(steps_of(512, 232) == Steps{192, 192, 128});
  CHECK(steps_of(512, 512) == Steps{512});
  CHECK(steps_of(520, 512) == Steps{288, 232});
  CHECK(steps_of(100, 40) == Steps{34, 34, 32});
  CHECK(steps_of(97, 48) == Steps{33, 33, 31});
  CHECK(steps_of(200, 96) == Steps{96, 96, 8});
  CHECK(steps_of(33, 512) == Steps{33});
  CHECK(steps_of(500, 512) == Steps{500});
  CHECK(steps_of(50, 20) == Steps{17, 17, 16});
}

TEST_CASE("passes are the fewest, and none has more steps than there are") {
  for (std::int64_t steps = 1; steps < 300; ++steps) {
    for (std::int64_t most = 1; most < 300; ++most) {
      const std::int64_t each = steps_of_passes(steps, most);
      CAPTURE(steps, most, each);
      CHECK((each >= 1 && each <= most && each <= steps));
      CHECK((steps + each - 1) / each == (steps + most - 1) / most);
    }
  }
}

TEST_CASE("snapshots and checks come at their steps") {
  const StencilEvents events{50, {0, 7, 20, 49, 50}, 10};
  CHECK(longest_span(events) == 10);
  CHECK(count_events(events) == 10);
  for (const bool rims : {false, true}) {
    const Timeline timeline(events, 4, rims);
    const Walk found = walk(timeline);
    CHECK(found.steps == 50);
    CHECK(found.snapshots == std::map<std::int64_t, std::int64_t>{{0, 0}, {1, 7}, {2, 20}, {3, 49}, {4, 50}});
    CHECK(found.totals == std::map<std::int64_t, std::int64_t>{{0, 10}, {1, 20}, {2, 30}, {3, 40}, {4, 50}});
    CHECK(found.finishes == 1);
  }
}

TEST_CASE("receivers are recorded after every pass") {
  for (const bool rims : {false, true}) {
    const Timeline timeline({25, {12}, 10, true}, 5, rims);
    CHECK(walk(timeline).recorded == 25);
    CHECK(walk(timeline, 1).recorded == 20);
    CHECK(walk(timeline).finishes == 1);
  }
}

TEST_CASE("passes that end at a check are known") {
  const Timeline timeline({25, {12}, 10}, 5, false);
  std::vector<std::int64_t> checked;
  for (std::int64_t number = 0; const auto phase = timeline.phase(number); ++number) {
    if (phase->work == StencilWork::pass && timeline.is_checked(*phase))
      checked.push_back(phase->step + phase->steps);
  }
  CHECK(checked == std::vector<std::int64_t>{10, 20});
}

TEST_CASE("cells are counted at events, at the end, and after at most 512 steps and a pass") {
  const Timeline timeline({2000, {100, 700}, 0}, 90, false);
  std::int64_t counted = 0;
  std::vector<std::int64_t> at;
  for (std::int64_t number = 0; const auto phase = timeline.phase(number); ++number) {
    if (phase->work != StencilWork::pass || phase->counts == 0) continue;
    at.push_back(phase->step + phase->steps);
    CHECK(at.back() - std::exchange(counted, at.back()) < 512 + 90);
  }
  CHECK(std::ranges::count(at, 100) + std::ranges::count(at, 700) + std::ranges::count(at, 2000) == 3);
  CHECK(at.size() == 6);
  CHECK(Timeline({0, {}, 0}, 90, false).phase(0)->counts == 1);
}

TEST_CASE("the last grid takes the place of snapshots after the end, once") {
  using Steps = std::vector<std::int64_t>;
  const StencilEvents events{50, {5, 20, 30, 49}, 10};
  CHECK(events.snapshots_of(50) == Steps{5, 20, 30, 49});
  CHECK(events.snapshots_of(20) == Steps{5, 20});
  CHECK(events.snapshots_of(25) == Steps{5, 20, 25});
  CHECK(events.snapshots_of(3) == Steps{3});
  CHECK(StencilEvents{50, {}, 10}.snapshots_of(20).empty());
}

TEST_CASE("after a check that ends the stage the other snapshots are taken of the grid as it is, once") {
  const Timeline timeline({50, {5, 20, 30, 49}, 10}, 4, true);
  const Walk found = walk(timeline, 1);
  CHECK(found.steps == 20);
  CHECK(found.snapshots == std::map<std::int64_t, std::int64_t>{{0, 5}, {1, 20}});
  CHECK(found.totals.size() == 2);
  CHECK(found.finishes == 1);
  const Walk early = walk(timeline, 0);
  CHECK(early.snapshots == std::map<std::int64_t, std::int64_t>{{0, 5}, {1, 10}});
  CHECK(early.finishes == 1);
}

}  // namespace
}  // namespace terrace::stages
