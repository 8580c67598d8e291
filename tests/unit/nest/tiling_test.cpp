// Kernel tiles of nests: which of them anything needs.
#include "kernels/nest/tiling.hpp"

#include <catch2/catch.hpp>

#include "tests/support/nests.hpp"

namespace terrace::nest {
namespace {

/// Steps of a grid in place, with the skew of its iterations.
NestSpec sweeps(i64 steps, i64 cells) {
  Written made;
  made.input("g", {cells + 2}).loop("t", std::to_string(steps)).loop("i", "1", "size(g, 0) - 1");
  made.array("A", std::nullopt, "g").cell("A[i] = 0.5*(A[i-1] + A[i+1])");
  NestSpec spec;
  auto nest = std::make_shared<Nest>(write(made.text));
  spec.flow = flow_of(*nest);
  spec.skew = least_skew(*nest, spec.flow, false);
  spec.kept.resize(1);
  spec.nest = std::move(nest);
  return spec;
}

TEST_CASE("tiles are needed by their iterations and by those beyond them") {
  // Coordinates are t and t + i: rows of 64 columns of 128.
  const NestSpec spec = sweeps(64, 64);
  REQUIRE(spec.skew.in_words() == "1 0; 1 1");
  const int all[] = {64, 128, 0, 0};
  CHECK(Tiling(spec, all, false).needed_share(spec) == 1);
  // The tiles along the diagonal, of 8 by 16.
  const int small[] = {8, 8, 0, 0};
  const double share = Tiling(spec, small, false).needed_share(spec);
  CHECK(share > 0.5);
  CHECK(share < 0.75);
}

}  // namespace
}  // namespace terrace::nest
