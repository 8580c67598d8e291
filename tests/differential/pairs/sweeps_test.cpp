// Swept pairs on the CPU against the plain program of each pair's table.
#include <catch2/catch.hpp>

#include "kernels/device/cpu_context.hpp"
#include "tests/differential/pairs/compare_swept.hpp"

namespace terrace::pairs::testing {
namespace {

TEST_CASE("swept pairs give what their tables report") {
  device::CpuContext context(2);
  compare_all_swept(context, 4, 300, 1);
}

TEST_CASE("pairs are swept where an item is too long for lanes") {
  PairsSpec spec;
  spec.problem = "lcs";
  spec.longest_row = spec.longest_column = most_lane_elements;
  CHECK(unfit_for_sweeps(spec) != "");
  ++spec.longest_column;
  CHECK(unfit_for_sweeps(spec) == "");
}

}  // namespace
}  // namespace terrace::pairs::testing
