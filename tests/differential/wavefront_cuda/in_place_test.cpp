#include <catch2/catch.hpp>

#include "kernels/wavefront/in_place_cuda.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"
#include "tests/support/in_place_grid.hpp"
#include "tests/support/in_place_samples.hpp"

namespace terrace::wavefront {
namespace {

/// Sweeps every `step`-th case on the first device under the conditions of `trial`, where there is one.
void check_on_device(const InPlaceTrial& trial, std::size_t step) {
  auto context = test::cuda_context();
  if (!context) return;
  if (test::is_simulated(*context)) step *= 11;
  testing::check_in_place(
      [&]<class T>(const InPlaceSpec& spec, const testing::InPlaceCase& c, std::vector<T>& grid) {
        testing::GridMemory workspace(*context,
                                      static_cast<std::int64_t>(in_place_cuda_bytes(spec, context->limits(), trial)));
        auto sweep = make_in_place_cuda(spec, *context, workspace.data(), trial);
        testing::InPlaceGrid(spec, *context, *sweep).run(grid, c.sweeps, c.launch_slabs);
      },
      step);
}

TEST_CASE("in-place sweeps on CUDA give the bits of the definition") { check_on_device({}, 1); }

TEST_CASE("in-place sweeps on CUDA give the same bits with groups of 32 sweeps and of 4") {
  check_on_device({.lanes = 32}, 3);
  check_on_device({.lanes = 4}, 2);
}

TEST_CASE("in-place sweeps on CUDA give the same bits with few thread blocks and with delays") {
  check_on_device({.thread_blocks = 1, .delay_seed = 7}, 7);
  check_on_device({.thread_blocks = 3, .delay_seed = 8, .lanes = 4}, 5);
}

}  // namespace
}  // namespace terrace::wavefront
