// The order of steps of the way back, with any sizes.
#include "stages/dp_table/bounded/way.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

namespace terrace::stages {
namespace {

/// Takes the steps one after another, and checks that each finds what it needs.
class Follower {
 public:
  explicit Follower(const BoundedWay& way, std::int64_t groups) : way_(way), groups_(groups) {}

  void follow() {
    for (std::int64_t number = 0; number < way_.steps(); ++number) take(number, way_.step(number));
    CHECK(walked_ == 0);
    CHECK(saved_.empty());
  }
  std::size_t most_saved() const { return most_saved_; }
  std::size_t most_bits() const { return most_bits_; }

 private:
  void take(std::int64_t number, const WayStep& step) {
    CAPTURE(number, step.group);
    CHECK(step.generation == made_);
    switch (step.work) {
      case WayWork::passes:
        REQUIRE(step.group == at_);
        ++at_, ++made_;
        if (step.keeps_bits) bits_.insert(step.group);
        break;
      case WayWork::save:
        REQUIRE(step.group == at_);
        REQUIRE(saved_.insert(way_.leaf_of(step.group)).second);
        REQUIRE(step.group % way_.sizes().leaf == 0);
        break;
      case WayWork::restore:
        if (step.group > 0) REQUIRE(saved_.contains(way_.leaf_of(step.group)));
        at_ = step.group, ++made_;
        if (step.is_last) saved_.erase(way_.leaf_of(step.group));
        break;
      case WayWork::walk:
        if (walked_ == groups_) CHECK(number == way_.steps_before_walk());
        REQUIRE(step.group == --walked_);
        REQUIRE(bits_.erase(step.group) == 1);
        break;
    }
    most_saved_ = std::max(most_saved_, saved_.size());
    most_bits_ = std::max(most_bits_, bits_.size());
  }

  const BoundedWay& way_;
  std::int64_t groups_;
  std::int64_t at_ = 0, made_ = 1, walked_ = groups_;  // the group before which the elements are, ...
  std::set<std::int64_t> saved_, bits_;
  std::size_t most_saved_ = 0, most_bits_ = 0;
};

TEST_CASE("each step of the way back finds what it needs") {
  for (std::int64_t groups = 0; groups <= 40; ++groups) {
    for (std::int64_t levels = 0; levels <= 5; ++levels) {
      for (std::int64_t parts = 2; parts <= 5; ++parts) {
        for (std::int64_t leaf = 1; leaf <= 9; leaf += 2) {
          CAPTURE(groups, levels, parts, leaf);
          std::int64_t held = leaf;
          for (std::int64_t level = 0; level < levels; ++level) held *= parts;
          if (levels > 0 && held < groups) continue;
          const BoundedWay way(groups, {levels, parts, leaf});
          Follower follower(way, groups);
          follower.follow();
          CHECK(static_cast<std::int64_t>(follower.most_saved()) <= way.most_saved());
          CHECK(static_cast<std::int64_t>(follower.most_bits()) <= way.sizes().leaf);
        }
      }
    }
  }
}

TEST_CASE("each level takes the passes once more") {
  for (std::int64_t levels = 0; levels <= 4; ++levels) {
    const BoundedWay way(81, {levels, 3, 1});
    std::int64_t passes = 0;
    for (std::int64_t number = 0; number < way.steps(); ++number) {
      if (way.step(number).work == WayWork::passes) ++passes;
    }
    CHECK(passes <= 81 * (levels + 1));
  }
}

}  // namespace
}  // namespace terrace::stages
