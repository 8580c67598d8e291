// Floyd-Warshall in tiles on the CPU: against the definition in every type, and the port's stop words.
#include <catch2/catch.hpp>
#include <random>

#include "kernels/device/cpu_context.hpp"
#include "kernels/recursive/cpu/tiles.hpp"
#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/reference/reference.hpp"
#include "kernels/recursive/semiring.hpp"
#include "pipeline/base/error.hpp"
#include "tests/differential/recursive/samples.hpp"
#include "tests/differential/recursive/tiled_matrix.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;

const int min_plus = find_semiring("min_plus");

template <class T>
void check(device::Context& context, InstructionSet set, std::int64_t n, std::int64_t tile, double edges,
           bool negative) {
  INFO(n << " nodes, tiles of " << tile << ", " << name_of(element_type_of<T>()) << ", " << negative);
  const std::vector<T> matrix = testing::random_graph<T>(n, edges, negative, static_cast<unsigned>(n * 31 + tile));
  std::vector<T> expected = matrix;
  close<MinPlus>(expected.data(), n);
  T least = infinity<T>(), most = -infinity<T>(), farthest = T(0);
  for (const T weight : matrix) {
    if (weight < infinity<T>()) least = std::min(least, weight), most = std::max(most, weight);
  }
  for (T& distance : expected) {
    if (negative && distance >= infinity<T>() / T(2)) distance = infinity<T>();
    if (distance < infinity<T>()) farthest = std::max(farthest, distance);
  }
  const auto kernel = make_tiles_cpu({min_plus, element_type_of<T>()}, context, set);
  testing::TiledMatrix<T> tiles(context, matrix, n, tile);
  T found_least = infinity<T>(), found_most = -infinity<T>(), found_farthest = T(0);
  for (const TileResult& result : tiles.close(*kernel, negative)) {
    const auto value = [](const TileResult::Extremes& extremes) {
      return is_real<T> ? static_cast<T>(extremes.real) : static_cast<T>(extremes.whole);
    };
    CHECK(result.negative_pivot == -1);
    if ((result.found & 1) != 0) found_least = std::min(found_least, value(result.least));
    if ((result.found & 1) != 0) found_most = std::max(found_most, value(result.most));
    if ((result.found & 2) != 0) found_farthest = std::max(found_farthest, value(result.farthest));
  }
  CHECK(tiles.matrix() == expected);
  CHECK(found_least == least);
  CHECK(found_most == most);
  CHECK(found_farthest == farthest);
}

template <class T>
void check_sizes(InstructionSet set, int threads) {
  if (set > device::best_instruction_set()) {
    WARN("not run here: this CPU has no " << device::name_of(set));
    return;
  }
  INFO(device::name_of(set) << ", " << threads << " threads");
  device::CpuContext context(threads);
  for (const std::int64_t n : {1, 2, 63, 64, 65, 97, 130}) check<T>(context, set, n, 130, 0.1, false);
  for (const std::int64_t tile : {1, 7, 16, 64, 100})
    check<T>(context, set, std::min<std::int64_t>(101, 9 * tile), tile, 0.05, true);
  check<T>(context, set, 300, 280, 0.02, true);  // more than a packed depth, on several threads
}

TEMPLATE_TEST_CASE("closures on the CPU are those of the definition in every type", "", float, double, std::int16_t,
                   std::int32_t, std::int64_t) {
  SECTION("sse2") { check_sizes<TestType>(InstructionSet::sse2, 1); }
  SECTION("avx2") { check_sizes<TestType>(InstructionSet::avx2, 3); }
  SECTION("avx512") { check_sizes<TestType>(InstructionSet::avx512, 2); }
}

TEST_CASE("numbers that are no whole ones have the same bits on every instruction set and number of threads") {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> weight(0, 1);
  constexpr std::int64_t n = 200;
  std::vector<float> matrix(n * n);
  for (float& value : matrix) value = weight(random);
  std::vector<float> first;
  for (const int threads : {1, 2, 5}) {
    device::CpuContext context(threads);
    for (const InstructionSet set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512}) {
      if (set > device::best_instruction_set()) continue;
      testing::TiledMatrix<float> tiles(context, matrix, n, 150);
      tiles.close(*make_tiles_cpu({min_plus, ElementType::f32}, context, set), false);
      if (first.empty()) first = tiles.matrix();
      CHECK(tiles.matrix() == first);
    }
  }
}

TEST_CASE("a negative cycle is found at a node on it, whatever tile it lies in") {
  device::CpuContext context(2);
  constexpr std::int64_t n = 90;
  for (const auto& cycle : {std::vector<std::int64_t>{5, 70}, {88, 3, 40, 41}, {33}}) {
    std::vector<std::int32_t> matrix(n * n, infinity<std::int32_t>());
    for (std::int64_t i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i * n + (i + 1) % n)] = 100;
    for (std::size_t c = 0; c < cycle.size(); ++c) {
      const std::int64_t next = cycle[(c + 1) % cycle.size()];
      matrix[static_cast<std::size_t>(cycle[c] * n + next)] = c == 0 ? -10 : 2;
    }
    testing::TiledMatrix<std::int32_t> tiles(context, matrix, n, 32);
    std::int64_t found = -1;
    for (const TileResult& result : tiles.close(*make_tiles_cpu({min_plus, ElementType::i32}, context), true)) {
      if (found < 0) found = result.negative_pivot;
    }
    CHECK(found == *std::max_element(cycle.begin(), cycle.end()));
  }
}

TEST_CASE("an aborted launch leaves its blocks undone") {
  device::CpuContext context(1);
  const auto kernel = make_tiles_cpu({min_plus, ElementType::f32}, context);
  float tile[16] = {};
  TileTask task{};
  task.rows = task.columns = task.depth = task.x_stride = task.input_stride = 4;
  task.function = Function::a;
  task.x = tile;
  task.input = tile;
  TileResult result{};
  device::u64 ready = 1, stop = 0, abort = 1, done = 0, failed = 0, skipped = 0;
  kernel->run({&ready, &stop, &abort, &done, &failed, &skipped, &task, &result, 1, sizeof task, sizeof result, 0, 1});
  CHECK(done == 0);
}

TEST_CASE("closures of other types are refused") {
  device::CpuContext context(1);
  for (const ElementType type : {ElementType::u8, ElementType::i8, ElementType::u32, ElementType::u64}) {
    CHECK_FALSE(is_distance_type(type));
    CHECK_THROWS_AS(make_tiles_cpu({min_plus, type}, context), DeviceError);
  }
  CHECK_THROWS_AS(make_tiles_cpu({-1, ElementType::f32}, context), DeviceError);
}

}  // namespace
}  // namespace terrace::recursive
