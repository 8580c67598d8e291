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
  StencilTally tally({norm, 1e-9}, 2);
  StencilPhase value;
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

}  // namespace

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
