// In-place sweeps on CUDA against the definition, to the bit, also with delays and few thread blocks.
#include <algorithm>
#include <catch2/catch.hpp>

#include "kernels/in_place/cuda/sweep.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"
#include "tests/support/in_place_grid.hpp"
#include "tests/support/in_place_samples.hpp"

namespace terrace::in_place {
namespace {

/// Sweeps every `step`-th case on a device under the conditions of `trial`.
/// @param parts that may be dealt to devices, at most: launches leave what other ones may need
void check_on(device::Context& context, const InPlaceTrial& trial, std::size_t step,
              const std::vector<testing::InPlaceCase>& cases, std::int64_t parts = 1) {
  testing::check_in_place(
      [&]<class T>(const InPlaceSpec& spec, const testing::InPlaceCase& c, std::vector<T>& grid) {
        InPlaceSpec cut = spec;
        cut.parts = std::clamp<std::int64_t>(cut.slabs(), 1, parts);
        device::Memory workspace(context, in_place_cuda_bytes(cut, context.limits(), trial));
        auto sweep = make_in_place_cuda(cut, context, workspace.data(), trial);
        testing::InPlaceGrid(cut, context, *sweep).run(grid, c.sweeps, c.launch_slabs);
      },
      step, cases);
}

/// Every `step`-th case on the first device, if there is one; fewer on a simulated one.
void check_on_device(const InPlaceTrial& trial, std::size_t step) {
  auto context = test::cuda_context();
  if (!context) return;
  check_on(*context, trial, test::few_cases(*context) ? 11 * step : step, testing::in_place_cases());
}

TEST_CASE("in-place sweeps on CUDA give the bits of the definition") { check_on_device({}, 1); }

TEST_CASE("in-place sweeps on CUDA give the bits of the definition inside the rim of large grids, too") {
  auto context = test::cuda_context();
  if (!context) return;
  check_on(*context, {}, 1, testing::large_in_place_cases());
  if (!test::few_cases(*context)) {
    check_on(*context, {.group = InPlaceTrial::Group::many}, 1, testing::large_in_place_cases());
    check_on(*context, {.group = InPlaceTrial::Group::few}, 1, testing::large_in_place_cases());
  }
}

TEST_CASE("in-place sweeps on CUDA give the same bits with groups of one sweep and of many") {
  check_on_device({.group = InPlaceTrial::Group::many}, 3);
  check_on_device({.group = InPlaceTrial::Group::few}, 2);
}

TEST_CASE("in-place sweeps on CUDA give the same bits in parts, where one launch goes on and where another does") {
  auto context = test::cuda_context();
  if (!context) return;
  std::vector<testing::InPlaceCase> cases;
  for (const std::int64_t launch_slabs : {1, 2, 3, 1 << 20}) {
    cases.push_back({150, 70, 18, 17, 17, launch_slabs});
    cases.push_back({149, 133, 20, 7, 15, launch_slabs});
    cases.push_back({700, 40, 160, 33, 70, launch_slabs});
  }
  for (const std::int64_t parts : {2, 3, 5}) {
    check_on(*context, {}, 1, cases, parts);
    check_on(*context, {.thread_blocks = 2, .delay_seed = 9}, 4, cases, parts);
  }
}

TEST_CASE("in-place sweeps on CUDA give the same bits with few thread blocks and with delays") {
  check_on_device({.thread_blocks = 1, .delay_seed = 7}, 7);
  check_on_device({.thread_blocks = 3, .delay_seed = 8, .group = InPlaceTrial::Group::few}, 5);
}

}  // namespace
}  // namespace terrace::in_place
