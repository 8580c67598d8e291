// Floyd-Warshall in tiles on CUDA against the CPU, launches that are aborted, and refusals.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "kernels/device/cpu_context.hpp"
#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/reference/reference.hpp"
#include "pipeline/base/error.hpp"
#include "tests/differential/recursive/samples.hpp"
#include "tests/differential/recursive/tiled_matrix.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::recursive {
namespace {

using testing::TiledMatrix;

const int min_plus = find_semiring("min_plus");

/// Updates of tiles with their workspace.
struct CudaKernel {
  CudaKernel(device::Context& context, ElementType type, std::int64_t side)
      : workspace(context, tiles_cuda_bytes({min_plus, type}, side)),
        kernel(make_tiles_cuda({min_plus, type}, side, context, workspace.as<void>())) {}
  device::Memory workspace;
  std::unique_ptr<device::BlockKernel> kernel;
};

/// The CPU's results for the same tiles.
template <class T>
std::vector<TileResult> close_on_cpu(std::vector<T>& matrix, std::int64_t n, std::int64_t tile, bool clamped) {
  device::CpuContext context(1);
  TiledMatrix<T> tiles(context, matrix, n, tile);
  const auto results = tiles.close(*make_tiles_cpu({min_plus, element_type_of<T>()}, context), clamped);
  matrix = tiles.matrix();
  return results;
}

template <class T>
void check(device::Context& context, std::int64_t n, std::int64_t tile, double edges, bool negative) {
  INFO(n << " nodes, tiles of " << tile << ", " << name_of(element_type_of<T>()) << ", " << negative);
  const std::vector<T> matrix = testing::random_graph<T>(n, edges, negative, static_cast<unsigned>(n * 31 + tile));
  std::vector<T> defined = matrix, expected = matrix;
  close<MinPlus>(defined.data(), n);
  for (T& distance : defined) {
    if (negative && distance >= infinity<T>() / T(2)) distance = infinity<T>();
  }
  const std::vector<TileResult> known = close_on_cpu(expected, n, tile, negative);
  REQUIRE(expected == defined);
  CudaKernel cuda(context, element_type_of<T>(), tile);
  TiledMatrix<T> tiles(context, matrix, n, tile);
  const std::vector<TileResult> found = tiles.close(*cuda.kernel, negative);
  CHECK(tiles.matrix() == expected);
  REQUIRE(found.size() == known.size());
  for (std::size_t block = 0; block < known.size(); ++block) {
    INFO("block " << block);
    CHECK(found[block].found == known[block].found);
    CHECK(found[block].negative_pivot == -1);
    CHECK(found[block].least.whole == known[block].least.whole);
    CHECK(found[block].least.real == known[block].least.real);
    CHECK(found[block].most.whole == known[block].most.whole);
    CHECK(found[block].most.real == known[block].most.real);
    CHECK(found[block].farthest.whole == known[block].farthest.whole);
    CHECK(found[block].farthest.real == known[block].farthest.real);
  }
}

TEMPLATE_TEST_CASE("closures on CUDA are those of the CPU in every type", "", float, double, std::int16_t,
                   std::int32_t, std::int64_t) {
  const auto context = test::cuda_context();
  if (!context) return;
  for (const std::int64_t n : {1, 2, 31, 63, 64, 65, 130}) check<TestType>(*context, n, 130, 0.1, n % 2 == 0);
  check<TestType>(*context, 190, 190, 0.02, true);
  for (const std::int64_t tile : {1, 7, 32, 67}) {
    check<TestType>(*context, std::min<std::int64_t>(140, 3 * tile), tile, 0.05, tile != 32);
  }
  if (test::few_cases(*context)) return;
  check<TestType>(*context, 1000, 1000, 0.005, true);
  check<TestType>(*context, 1500, 400, 0.004, true);
  check<TestType>(*context, 1024, 512, 0.004, false);
}

template <class T>
std::vector<T> random_weights(std::int64_t n) {
  std::mt19937 random(5);
  std::uniform_real_distribution<T> weight(0, 1);
  std::vector<T> matrix(static_cast<std::size_t>(n * n));
  for (T& value : matrix) value = weight(random);
  return matrix;
}

TEMPLATE_TEST_CASE("a tile of numbers that are no whole ones is closed to the same bits as on the CPU", "", float,
                   double) {
  const auto context = test::cuda_context();
  if (!context) return;
  constexpr std::int64_t n = 200;
  const std::vector<TestType> matrix = random_weights<TestType>(n);
  auto expected = matrix;
  close_on_cpu(expected, n, n, false);
  CudaKernel cuda(*context, element_type_of<TestType>(), n);
  TiledMatrix<TestType> tiles(*context, matrix, n, n);
  tiles.close(*cuda.kernel, false);
  CHECK(tiles.matrix() == expected);
}

TEST_CASE("tiles of numbers that are no whole ones come out the same in every launch, and close to the definition") {
  const auto context = test::cuda_context();
  if (!context) return;
  constexpr std::int64_t n = 150;
  const std::vector<float> matrix = random_weights<float>(n);
  std::vector<double> exact(matrix.begin(), matrix.end());
  close<MinPlus>(exact.data(), n);
  std::vector<float> first;
  for (int turn = 0; turn < 2; ++turn) {
    CudaKernel cuda(*context, ElementType::f32, 70);
    TiledMatrix<float> tiles(*context, matrix, n, 70);
    tiles.close(*cuda.kernel, false);
    const std::vector<float> found = tiles.matrix();
    if (first.empty()) first = found;
    CHECK(found == first);
  }
  // A path has fewer than n edges, and each sum is rounded once.
  for (std::size_t at = 0; at < exact.size(); ++at) {
    REQUIRE(std::abs(static_cast<double>(first[at]) - exact[at]) <= n * 0x1p-24 * exact[at]);
  }
}

TEST_CASE("a negative cycle is found on CUDA at the node where the CPU finds it") {
  const auto context = test::cuda_context();
  if (!context) return;
  constexpr std::int64_t n = 90;
  for (const auto& cycle : {std::vector<std::int64_t>{5, 70}, {88, 3, 40, 41}, {33}}) {
    std::vector<std::int32_t> matrix(n * n, infinity<std::int32_t>());
    for (std::int64_t i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i * n + (i + 1) % n)] = 100;
    for (std::size_t c = 0; c < cycle.size(); ++c) {
      const std::int64_t next = cycle[(c + 1) % cycle.size()];
      matrix[static_cast<std::size_t>(cycle[c] * n + next)] = c == 0 ? -10 : 2;
    }
    for (const std::int64_t tile : {32, 90}) {
      CudaKernel cuda(*context, ElementType::i32, tile);
      TiledMatrix<std::int32_t> tiles(*context, matrix, n, tile);
      std::int64_t found = -1;
      for (const TileResult& result : tiles.close(*cuda.kernel, true)) {
        if (found < 0) found = result.negative_pivot;
      }
      CHECK(found == *std::max_element(cycle.begin(), cycle.end()));
    }
  }
}

TEST_CASE("an aborted CUDA launch leaves its blocks undone and their tiles as they were") {
  const auto context = test::cuda_context();
  if (!context) return;
  const testing::Values<float> tile(*context, {0, 9, 1, 5, 0, 2, 3, 3, 0});
  const std::vector<float> before = tile.vector();
  TileTask task{};
  task.rows = task.columns = task.depth = task.x_stride = 3;
  task.function = Function::a;
  task.x = tile.data();
  CudaKernel cuda(*context, ElementType::f32, 3);
  std::vector<TileResult> results;
  CHECK(testing::run_blocks(*context, *cuda.kernel, {task, task}, results, true).done == 0);
  CHECK(tile.vector() == before);
  CHECK(testing::run_blocks(*context, *cuda.kernel, {task}, results).done == 1);
  CHECK(tile.vector() == std::vector<float>{0, 4, 1, 5, 0, 2, 3, 3, 0});
}

TEST_CASE("what is larger than the workspace, or has no kernels, is refused on CUDA") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (const ElementType type : {ElementType::u8, ElementType::i8, ElementType::u32, ElementType::u64}) {
    CHECK_THROWS_AS(tiles_cuda_bytes({min_plus, type}, 64), DeviceError);
  }
  CHECK_THROWS_AS(tiles_cuda_bytes({-1, ElementType::f32}, 64), DeviceError);
  CudaKernel cuda(*context, ElementType::f32, 16);
  const testing::Values<float> tile(*context, std::vector<float>(17 * 17));
  TileTask task{};
  task.rows = task.columns = task.depth = task.x_stride = 17;
  task.x = tile.data();
  std::vector<TileResult> results;
  CHECK_THROWS_AS(testing::run_blocks(*context, *cuda.kernel, {task}, results), DeviceError);
}

}  // namespace
}  // namespace terrace::recursive
