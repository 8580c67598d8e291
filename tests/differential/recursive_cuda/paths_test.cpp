// Distances with next nodes on CUDA against the definition, also with little shared memory.
#include <catch2/catch.hpp>

#include "kernels/device/cpu_context.hpp"
#include "pipeline/base/error.hpp"
#include "tests/differential/recursive/tiled_paths.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::recursive {
namespace {

/// Updates of tiles with their workspace.
struct CudaKernel {
  CudaKernel(device::Context& context, const TileSpec& spec, std::int64_t side)
      : workspace(context, tiles_cuda_bytes(spec, side)),
        kernel(make_tiles_cuda(spec, side, context, workspace.as<void>())) {}
  device::Memory workspace;
  std::unique_ptr<device::BlockKernel> kernel;
};

template <class T, class W>
void check(device::Context& context, const std::vector<T>& matrix, std::int64_t n, std::int64_t tile, bool negative) {
  INFO(n << " nodes, tiles of " << tile << ", " << name_of(element_type_of<T>()) << ", " << sizeof(W) << ", "
         << negative);
  const auto expected = testing::AllPaths<T>::by_definition(matrix, n, negative);
  const TileSpec spec = testing::paths_spec<T, W>();
  CudaKernel cuda(context, spec, tile);
  testing::TiledPaths<T, W> tiles(context, matrix, n, tile);
  const std::vector<TileResult> found = tiles.close(*cuda.kernel, negative);
  CHECK(tiles.paths().distance == expected.distance);
  CHECK(tiles.paths().next == expected.next);
  device::CpuContext cpu(1);
  testing::TiledPaths<T, W> cpu_tiles(cpu, matrix, n, tile);
  const std::vector<TileResult> known = cpu_tiles.close(*make_tiles_cpu(spec, cpu), negative);
  REQUIRE(found.size() == known.size());
  for (std::size_t block = 0; block < known.size(); ++block) {
    INFO("block " << block);
    CHECK(found[block].found == known[block].found);
    CHECK(found[block].negative_pivot == -1);
    CHECK(found[block].farthest.whole == known[block].farthest.whole);
    CHECK(found[block].farthest.real == known[block].farthest.real);
  }
}

template <class T, class W>
void check(device::Context& context, std::int64_t n, std::int64_t tile, double edges, bool negative) {
  check<T, W>(context, testing::graph_with_ties<T>(n, edges, negative, static_cast<unsigned>(n * 31 + tile)), n, tile,
              negative);
}

TEMPLATE_TEST_CASE("paths on CUDA are those of the definition in every type", "", float, double, std::int16_t,
                   std::int32_t, std::int64_t) {
  const auto context = test::cuda_context();
  if (!context) return;
  for (const std::int64_t n : {1, 63, 65, 130}) check<TestType, device::u64>(*context, n, 130, 0.05, n % 2 == 0);
  if constexpr (sizeof(TestType) <= 4) {
    check<TestType, device::u32>(*context, 130, 130, 0.02, false);
    for (const std::int64_t tile : {1, 7, 67}) {
      check<TestType, device::u32>(*context, std::min<std::int64_t>(140, 3 * tile), tile, 0.05, tile == 7);
    }
  }
  if (test::few_cases(*context)) return;
  check<TestType, device::u64>(*context, 500, 200, 0.01, false);
  check<TestType, device::u64>(*context, 500, 500, 0.01, true);
}

TEMPLATE_TEST_CASE("paths on CUDA are those of the definition where every pair is as near by every other node", "",
                   float, std::int16_t, std::int32_t) {
  const auto context = test::cuda_context();
  if (!context) return;
  constexpr std::int64_t n = 140;
  std::vector<TestType> matrix(n * n);
  check<TestType, device::u32>(*context, matrix, n, 72, false);
  for (std::int64_t i = 0; i + 1 < n; ++i) matrix[static_cast<std::size_t>(i * n + n - 1)] = infinity<TestType>();
  check<TestType, device::u32>(*context, matrix, n, n, false);
}

/// Run alone, on a simulated GPU of 48 KiB.
TEST_CASE("where thread blocks have too little shared memory for paths the error says how much is needed") {
  const auto context = test::cuda_context();
  if (!context || context->limits().block_shared_bytes > 48 << 10) return;
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(CudaKernel(*context, testing::paths_spec<float, device::u32>(), 64),
                    Contains("relax_pairs_kernel: needs 65 KiB of shared memory for a thread block") &&
                        Contains("this GPU has 48 KiB") && Contains("backend: cpu"));
}

TEST_CASE("a negative cycle is found in a table with paths on CUDA, too") {
  const auto context = test::cuda_context();
  if (!context) return;
  constexpr std::int64_t n = 90;
  std::vector<float> matrix(n * n, infinity<float>());
  for (std::int64_t i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i * n + i)] = 0;
  matrix[88 * n + 3] = 4, matrix[3 * n + 88] = -5;
  for (const std::int64_t tile : {32, 90}) {
    CudaKernel cuda(*context, testing::paths_spec<float, device::u32>(), tile);
    testing::TiledPaths<float, device::u32> tiles(*context, matrix, n, tile);
    std::int64_t found = -1;
    for (const TileResult& result : tiles.close(*cuda.kernel, true)) {
      if (found < 0) found = result.negative_pivot;
    }
    CHECK(found == 88);
  }
  CHECK_THROWS_AS(tiles_cuda_bytes({find_semiring("min_plus"), ElementType::f64, Table::paths}, 64), DeviceError);
}

}  // namespace
}  // namespace terrace::recursive
