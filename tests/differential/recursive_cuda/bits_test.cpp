// Transitive closures and products in tables of bits on CUDA.
#include <catch2/catch.hpp>

#include "tests/differential/recursive/bit_products.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::recursive {
namespace {

void check(device::Context& context, std::int64_t n, std::int64_t tile, double degree, bool packed) {
  INFO(n << " nodes, tiles of " << tile << ", " << degree << " edges a node, " << packed);
  const auto matrix = testing::random_edges(n, degree, static_cast<unsigned>(n * 31 + tile));
  const TileSpec spec = testing::bits_spec(packed);
  const device::Memory workspace(context, tiles_cuda_bytes(spec, tile));
  testing::TiledBits tiles(context, matrix, n, tile, packed);
  CHECK(tiles.close(*make_tiles_cuda(spec, tile, context, workspace.as<void>())) ==
        tiles.given_out(testing::reached(matrix, n)));
}

TEST_CASE("bits on CUDA say what is reached") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (const std::int64_t n : {1, 33, 64, 65, 130}) check(*context, n, 160, 1.2, n % 2 == 0);
  for (const std::int64_t tile : {32, 96}) check(*context, 200, tile, 1.1, tile == 96);
  check(*context, 1100, 1120, 1.02, false);  // more than a stage
  if (test::few_cases(*context)) return;
  check(*context, 2100, 2112, 1.01, false);  // more pivots than are closed at a time
  check(*context, 1000, 1024, 1.1, true);
  check(*context, 4500, 4544, 1.05, false);  // more parts than are computed in turn
  check(*context, 2000, 640, 1.1, false);
}

using testing::Before;
using testing::BitShape;

/// Calls check(kernel, shape, before) for products of several shapes.
template <class Check>
void for_each_product(device::Context& context, const TileSpec& spec, const Check& check) {
  std::vector<BitShape> shapes = {{1, 1, 1}, {5, 3, 7}, {65, 130, 33}, {129, 127, 1025}, {4, 9, 0}};
  if (!test::few_cases(context)) {
    shapes.insert(shapes.end(), {{640, 1032, 500}, {1100, 257, 2049}, {2100, 128, 1024}, {3, 2500, 4100}});
  }
  for (const BitShape& shape : shapes) {
    const device::Memory workspace(context, tiles_cuda_bytes(spec, shape.side()));
    const auto kernel = make_tiles_cuda(spec, shape.side(), context, workspace.as<void>());
    for (const Before before : {Before::nothing, Before::input, Before::itself}) check(*kernel, shape, before);
  }
}

TEST_CASE("products of bits on CUDA are those of the definition") {
  const auto context = test::cuda_context();
  if (!context) return;
  for_each_product(*context, testing::bits_spec(false),
                   [&](device::BlockKernel& kernel, const BitShape& shape, Before before) {
                     testing::check_or_product(*context, kernel, shape, before == Before::input ? 0.5 : 0.03, before);
                   });
}

TEST_CASE("counts by bits on CUDA are those of the definition") {
  const auto context = test::cuda_context();
  if (!context) return;
  for_each_product(*context, testing::counts_spec(),
                   [&](device::BlockKernel& kernel, const BitShape& shape, Before before) {
                     const std::int64_t beyond = before == Before::input ? 1 : 0;
                     testing::check_counts(*context, kernel, shape, 0.6, before, beyond);
                   });
}

}  // namespace
}  // namespace terrace::recursive
