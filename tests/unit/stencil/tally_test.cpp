// The residuals of a stencil's checks, as they are folded from blocks.
#include "stages/stencil/tally.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/stencil/task.hpp"
#include "stages/stencil/timeline.hpp"

namespace terrace::stages {
namespace {

/// The residual of a check that adds up the changes of two blocks.
double residual(stencil::Norm norm, double first, double second) {
  StencilTally tally({norm, 1e-9}, {});
  StencilPhase value{};
  value.work = StencilWork::total;
  const run::Phase phase{0, 2, run::Order::any, value};
  std::int64_t index = 0;
  for (const double total : {first, second}) {
    stencil::StencilResult result{};
    result.total = total;
    tally.fold(phase, index++, &result);
  }
  REQUIRE(tally.residuals().size() == 1);
  return tally.residuals()[0];
}

/// A tally of two fields of 3 x 4 cells. @param infinity null: cells need not be finite
StencilTally of_cells(std::shared_ptr<const FoundInfinity> infinity) {
  return {{}, {{"u", "v"}, {3, 4}, std::move(infinity), 5}};
}

/// Folds a pass of two slabs. @param first cell that is not finite, of `count` in the second slab
void fold_pass(StencilTally& tally, std::int64_t step, std::int64_t steps, std::int64_t count, std::int64_t first) {
  StencilPhase value{};
  value.work = StencilWork::pass;
  value.step = step;
  value.steps = steps;
  value.counts = 1;
  const run::Phase phase{0, 2, run::Order::in_turn, value};
  stencil::StencilResult result{};
  tally.fold(phase, 0, &result);
  CHECK(tally.fault().empty());
  result.not_finite.count = count;
  if (count > 0) result.not_finite.first = first;
  tally.fold(phase, 1, &result);
}

}  // namespace

TEST_CASE("a cell that becomes infinite ends the stage, now and in later attempts") {
  StencilTally tally = of_cells(std::make_shared<FoundInfinity>());
  fold_pass(tally, 0, 20, 0, 0);
  CHECK(tally.fault().empty());
  fold_pass(tally, 20, 10, 3, 17);
  CHECK(
      tally.fault().starts_with("'v', row 1, column 1 and 2 other cells are not finite after step 30, and all were "
                                "after step 20: "));
  CHECK(tally.fault().ends_with("snapshots up to step 20 stay in the run's folder"));
  StencilTally later = of_cells(std::make_shared<FoundInfinity>());
  later.load(tally.save());
  CHECK(later.fault() == tally.fault());
  CHECK(later.not_finite() == 3);
}

TEST_CASE("cells that need not be finite, or that are made of infinities that were read, are counted") {
  StencilTally allows = of_cells(nullptr);
  fold_pass(allows, 0, 20, 5, 2);
  CHECK((allows.fault().empty() && allows.not_finite() == 5));
  fold_pass(allows, 20, 20, 1, 2);
  CHECK(allows.not_finite() == 1);
  const auto infinity = std::make_shared<FoundInfinity>();
  StencilTally tally = of_cells(infinity);
  infinity->note();
  fold_pass(tally, 0, 20, 1, 2);
  CHECK(tally.fault().empty());
  StencilTally later = of_cells(std::make_shared<FoundInfinity>());
  later.load(tally.save());
  fold_pass(later, 20, 20, 4, 0);
  CHECK(later.fault().empty());
}

TEST_CASE("a check ends the stage where the change is below the bound, 0 or NaN") {
  for (const double bound : {0.0, 0.5}) {
    const StencilCheck check{stencil::Norm::max, bound};
    CHECK(check.is_met_by(0));
    CHECK(check.is_met_by(std::numeric_limits<double>::quiet_NaN()));
    CHECK(check.is_met_by(0.25) == (bound > 0));
    CHECK_FALSE(check.is_met_by(std::numeric_limits<double>::infinity()));
  }
}

TEST_CASE("the residual of a step is the largest change, or the root of the sum of squares") {
  CHECK(residual(stencil::Norm::max, 2, 7) == 7);
  CHECK(residual(stencil::Norm::l2, 9, 16) == 5);
}

TEST_CASE("a residual that is no number has the same bits, whatever device made it") {
  const auto expected = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
  for (const std::uint64_t bits : {0x7FF8000000000000ull, 0xFFF8000000000000ull, 0x7FFFFFFFE0000000ull}) {
    const auto nan = std::bit_cast<double>(bits);
    for (const stencil::Norm norm : {stencil::Norm::max, stencil::Norm::l2}) {
      CHECK(std::bit_cast<std::uint64_t>(residual(norm, nan, 1)) == expected);
      CHECK(std::bit_cast<std::uint64_t>(residual(norm, 1, nan)) == expected);
    }
  }
}

}  // namespace terrace::stages
