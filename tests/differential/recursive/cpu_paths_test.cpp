// Distances with next nodes on the CPU against the definition, in every type of distances and trails.
#include <catch2/catch.hpp>

#include "kernels/device/cpu_context.hpp"
#include "kernels/recursive/cpu/tiles.hpp"
#include "pipeline/base/error.hpp"
#include "tests/differential/recursive/tiled_paths.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;

template <class T, class W>
void check(device::Context& context, InstructionSet set, std::int64_t n, std::int64_t tile, double edges,
           bool negative) {
  INFO(n << " nodes, tiles of " << tile << ", " << name_of(element_type_of<T>()) << ", " << sizeof(W) << ", "
         << negative);
  const std::vector<T> matrix = testing::graph_with_ties<T>(n, edges, negative, static_cast<unsigned>(n * 31 + tile));
  const auto expected = testing::AllPaths<T>::by_definition(matrix, n, negative);
  testing::TiledPaths<T, W> tiles(context, matrix, n, tile);
  tiles.close(*make_tiles_cpu(testing::paths_spec<T, W>(), context, set), negative);
  const testing::AllPaths<T> found = tiles.paths();
  CHECK(found.distance == expected.distance);
  CHECK(found.next == expected.next);
}

template <class T>
void check_sizes(InstructionSet set, int threads) {
  if (set > device::best_instruction_set()) return;
  INFO(device::name_of(set) << ", " << threads << " threads");
  device::CpuContext context(threads);
  for (const std::int64_t n : {1, 2, 65, 130}) check<T, device::u64>(context, set, n, 130, 0.05, n % 2 == 0);
  for (const std::int64_t tile : {1, 7, 64}) {
    check<T, device::u64>(context, set, std::min<std::int64_t>(101, 9 * tile), tile, 0.05, tile == 7);
    if constexpr (sizeof(T) <= 4) {
      check<T, device::u32>(context, set, std::min<std::int64_t>(101, 9 * tile), tile, 0.05, tile != 7);
    }
  }
  check<T, device::u64>(context, set, 300, 280, 0.02, true);  // pieces on several threads
}

TEMPLATE_TEST_CASE("paths on the CPU are those of the definition in every type", "", float, double, std::int16_t,
                   std::int32_t, std::int64_t) {
  SECTION("sse2") { check_sizes<TestType>(InstructionSet::sse2, 1); }
  SECTION("avx2") { check_sizes<TestType>(InstructionSet::avx2, 3); }
  SECTION("avx512") { check_sizes<TestType>(InstructionSet::avx512, 2); }
}

TEST_CASE("trails are as wide as the number of nodes asks for") {
  for (const ElementType type : {ElementType::f32, ElementType::i16, ElementType::i32}) {
    CHECK(paths_table(type, 32768) == Table::paths);
    CHECK(paths_table(type, 32769) == Table::long_paths);
  }
  CHECK(paths_table(ElementType::f64, 2) == Table::long_paths);
  device::CpuContext context(1);
  const int min_plus = find_semiring("min_plus");
  CHECK_THROWS_AS(make_tiles_cpu({min_plus, ElementType::f64, Table::paths}, context), DeviceError);
  CHECK_THROWS_AS(make_tiles_cpu({min_plus, ElementType::u8, Table::paths}, context), DeviceError);
}

TEST_CASE("a negative cycle is found in a table with paths, too") {
  device::CpuContext context(2);
  constexpr std::int64_t n = 90;
  std::vector<std::int32_t> matrix(n * n, infinity<std::int32_t>());
  for (std::int64_t i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i * n + i)] = 0;
  matrix[88 * n + 3] = 4, matrix[3 * n + 88] = -5;
  testing::TiledPaths<std::int32_t, device::u32> tiles(context, matrix, n, 32);
  std::int64_t found = -1;
  const auto kernel = make_tiles_cpu(testing::paths_spec<std::int32_t, device::u32>(), context);
  for (const TileResult& result : tiles.close(*kernel, true)) {
    if (found < 0) found = result.negative_pivot;
  }
  CHECK(found == 88);
}

}  // namespace
}  // namespace terrace::recursive
