// The rows that slabs on CUDA hand on: in the fields and in the carry.
#include "kernels/stencil/cuda/common/launches.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "kernels/stencil/rules/slabs.hpp"

namespace terrace::stencil {
namespace {

constexpr i64 slabs = 7;

/// Level and row of each place, as launches leave them.
using Places = std::vector<std::pair<i64, i64>>;

/// Runs the launches of slabs of `height` rows one after another, on levels and rows in place of values. Looks that a
/// launch finds the rows that it needs of the slab above, and writes none of those that it reads.
class Pass {
 public:
  Pass(const std::vector<i64>& counts, i64 radius, i64 pass_steps, i64 at_once, i64 height)
      : all_(counts, radius, true),
        radius_(radius),
        height_(height),
        length_(carry_rows(radius, pass_steps, at_once)),
        carry_(static_cast<std::size_t>(length_), {-1, -1}) {}

  bool run() {
    for (i64 slab = 0; slab < slabs && fits_; ++slab) {
      for (std::size_t i = 0; i < all_.launches.size(); ++i) launch(slab, i);
    }
    return fits_;
  }

 private:
  void launch(i64 slab, std::size_t number) {
    const SlabLaunch& launch = all_.launches[number];
    std::set<i64> read;
    if (slab > 0) {
      for_handed_on(slab - 1, launch, [&](i64 row, i64 place) {
        read.insert(place);
        fits_ = fits_ && at(place) == std::pair(launch.level, row);
      });
    }
    if (number + 1 < all_.launches.size()) {
      const SlabLaunch& next = all_.launches[number + 1];
      fits_ = fits_ && next.is_written();
      for_handed_on(slab, next, [&](i64 row, i64 place) {
        fits_ = fits_ && !read.contains(place);
        at(place) = {next.level, row};
      });
    }
    if (launch.is_copied()) {
      for_handed_on(slab, launch, [&](i64 row, i64 place) { at(place) = {launch.level, row}; });
    }
  }
  /// Calls visit(row, place) for the rows of the level of a launch that a slab hands on.
  template <class Visit>
  void for_handed_on(i64 slab, const SlabLaunch& launch, const Visit& visit) const {
    const i64 rows = 2 * radius_ * launch.count, begin = (slab + 1) * height_ - launch.level * radius_ - rows;
    for (i64 row = 0; row < rows; ++row) visit(begin + row, all_.place_of(launch, slab, row, length_));
  }
  std::pair<i64, i64>& at(i64 place) { return carry_[static_cast<std::size_t>(place)]; }

  SlabLaunches all_;
  i64 radius_, height_, length_;
  Places carry_;
  bool fits_ = true;
};

TEST_CASE("slabs find the rows that the slab above hands on, and overwrite none that is needed") {
  const std::vector<std::vector<i64>> all{{1},
                                          {32},
                                          {1, 1},
                                          {16, 16},
                                          {5, 12},
                                          {31, 1},
                                          {32, 1},
                                          {1, 32},
                                          {1, 1, 1},
                                          {7, 8, 8},
                                          {32, 32, 32},
                                          {1, 31, 32, 1},
                                          {32, 32, 32, 1},
                                          {10, 10, 10, 10},
                                          {1, 1, 1, 1, 1},
                                          {3, 4, 4, 4, 4, 1},
                                          {16, 16, 16, 16, 16, 16, 16, 16}};
  for (const std::vector<i64>& counts : all) {
    const i64 steps = std::accumulate(counts.begin(), counts.end(), i64{0});
    const i64 most = *std::ranges::max_element(counts);
    for (const i64 radius : {1, 2, 4}) {
      for (const i64 more : {0, 1, 50}) {
        const i64 height = least_slab_rows(radius, most) + more;
        Pass pass(counts, radius, steps + more, most, height);
        CAPTURE(counts, radius, more, height);
        CHECK(pass.run());
      }
    }
  }
}

TEST_CASE("launches make all steps, and all but one multiples of a unit") {
  for (const i64 most : {1, 3, 4, 12, 16, 32}) {
    for (const i64 unit : {1, 3, 4}) {
      if (unit > most) continue;
      for (i64 steps = 0; steps < 200; ++steps) {
        for (const bool alone : {false, true}) {
          std::vector<i64> counts = steps_of_launches(steps, most, unit, alone);
          CAPTURE(most, unit, steps, alone, counts);
          CHECK(std::accumulate(counts.begin(), counts.end(), i64{0}) == steps);
          if (counts.size() % 2 == 1) CHECK(*std::ranges::max_element(counts) <= unit);  // none can be divided
          if (alone && steps > 0) {
            CHECK(counts.back() == 1);
            counts.pop_back();
          }
          CHECK(std::ranges::is_sorted(counts));
          CHECK(std::ranges::all_of(counts, [&](i64 count) { return count > 0 && count <= most; }));
          const auto odd = std::ranges::count_if(counts, [&](i64 count) { return count % unit != 0; });
          CHECK(odd <= (steps < unit + (alone ? 1 : 0) ? 2 : 1));
        }
      }
    }
  }
  CHECK(steps_of_launches(512, 16, 4, false) == std::vector<i64>(32, 16));
  CHECK(steps_of_launches(30, 16, 4, false) == std::vector<i64>{14, 16});
  CHECK(steps_of_launches(100, 16, 4, false) == std::vector<i64>{12, 12, 12, 12, 12, 12, 12, 16});
  CHECK(steps_of_launches(43, 16, 4, false) == std::vector<i64>{3, 12, 12, 16});
  CHECK(steps_of_launches(14, 16, 4, false) == std::vector<i64>{2, 12});
  CHECK(steps_of_launches(3, 16, 4, false) == std::vector<i64>{1, 2});
  CHECK(steps_of_launches(1, 16, 4, true) == std::vector<i64>{1});
}

TEST_CASE("launches of a pass hand on the rows that slabs need") {
  for (const i64 most : {1, 4, 16, 32}) {
    for (const i64 unit : {1, 4}) {
      if (unit > most) continue;
      for (i64 steps = 1; steps < 100; ++steps) {
        for (const bool alone : {false, true}) {
          const std::vector<i64> counts = steps_of_launches(steps, most, unit, alone);
          Pass pass(counts, 1, steps, most, least_slab_rows(1, most));
          CAPTURE(counts);
          CHECK(pass.run());
        }
      }
    }
  }
}

TEST_CASE("levels are in turns in the workspace, and the last one where it belongs") {
  for (const std::vector<i64>& counts : {std::vector<i64>{3}, {4, 4}, {8, 9, 1}, {1, 2, 3, 4}}) {
    for (const bool uses_carry : {false, true}) {
      const SlabLaunches all(counts, 1, uses_carry);
      bool in_workspace = true;  // of the level after the last launch: not
      for (std::size_t i = counts.size(); i-- > 0; in_workspace = !in_workspace) {
        const SlabLaunch& launch = all.launches[i];
        CHECK(launch.uses_carry() == uses_carry);
        CHECK(launch.in_workspace == (in_workspace && !(uses_carry && i == 0)));
      }
    }
  }
}

}  // namespace
}  // namespace terrace::stencil
