// Transitive closures and products in tables of bits on the CPU, in every instruction set, against plain loops.
#include <catch2/catch.hpp>

#include "kernels/device/cpu_context.hpp"
#include "kernels/recursive/cpu/tiles.hpp"
#include "pipeline/base/error.hpp"
#include "tests/differential/recursive/bit_products.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;
using testing::Before;
using testing::BitShape;

constexpr BitShape product_shapes[] = {{1, 1, 1},       {5, 3, 7},         {31, 33, 32},    {64, 64, 64},
                                       {65, 63, 97},    {3, 300, 20},      {200, 5, 270},   {4, 9, 0},
                                       {130, 140, 280}, {100, 1030, 1025}, {2100, 40, 300}, {33, 65, 2000}};

void check(device::Context& context, InstructionSet set, std::int64_t n, std::int64_t tile, double degree,
           bool packed) {
  INFO(n << " nodes, tiles of " << tile << ", " << degree << " edges a node, " << packed);
  const auto matrix = testing::random_edges(n, degree, static_cast<unsigned>(n * 31 + tile));
  testing::TiledBits tiles(context, matrix, n, tile, packed);
  CHECK(tiles.close(*make_tiles_cpu(testing::bits_spec(packed), context, set)) ==
        tiles.given_out(testing::reached(matrix, n)));
}

void check_sizes(InstructionSet set, int threads) {
  if (set > device::best_instruction_set()) return;
  INFO(device::name_of(set) << ", " << threads << " threads");
  device::CpuContext context(threads);
  for (const std::int64_t n : {1, 2, 31, 32, 33, 63, 64, 65, 97, 130}) check(context, set, n, 160, 1.2, n % 2 == 0);
  for (const std::int64_t tile : {32, 64, 96}) check(context, set, 300, tile, 1.1, tile == 64);
  check(context, set, 1300, 1312, 1.2, true);  // more words than tables are made for at a time
  check(context, set, 1200, 608, 1.2, false);
}

TEST_CASE("bits on the CPU say what is reached") {
  SECTION("sse2") { check_sizes(InstructionSet::sse2, 1); }
  SECTION("avx2") { check_sizes(InstructionSet::avx2, 3); }
  SECTION("avx512") { check_sizes(InstructionSet::avx512, 2); }
}

void check_products(InstructionSet set, int threads) {
  if (set > device::best_instruction_set()) return;
  INFO(device::name_of(set) << ", " << threads << " threads");
  device::CpuContext context(threads);
  const auto kernel = make_tiles_cpu(testing::bits_spec(false), context, set);
  for (const BitShape& shape : product_shapes) {
    for (const Before before : {Before::nothing, Before::input, Before::itself}) {
      for (const double share : {0.02, 0.5}) testing::check_or_product(context, *kernel, shape, share, before);
    }
  }
}

TEST_CASE("products of bits on the CPU are those of the definition") {
  SECTION("sse2") { check_products(InstructionSet::sse2, 1); }
  SECTION("avx2") { check_products(InstructionSet::avx2, 3); }
  SECTION("avx512") { check_products(InstructionSet::avx512, 2); }
}

void check_all_counts(InstructionSet set, int threads) {
  if (set > device::best_instruction_set()) return;
  INFO(device::name_of(set) << ", " << threads << " threads");
  device::CpuContext context(threads);
  const auto kernel = make_tiles_cpu(testing::counts_spec(), context, set);
  for (const BitShape& shape : product_shapes) {
    for (const Before before : {Before::nothing, Before::input, Before::itself}) {
      for (const double share : {0.02, 1.0}) {
        testing::check_counts(context, *kernel, shape, share, before, shape.rows % 2 == 0 ? 0 : 3);
      }
    }
  }
  // More columns than are packed at a time, and as many ones as bytes could not count.
  testing::check_counts(context, *kernel, {3, 70, 8500}, 1.0, Before::nothing, 0);
}

TEST_CASE("counts by bits on the CPU are those of the definition") {
  SECTION("sse2") { check_all_counts(InstructionSet::sse2, 1); }
  SECTION("avx2") { check_all_counts(InstructionSet::avx2, 3); }
  SECTION("avx512") { check_all_counts(InstructionSet::avx512, 2); }
}

TEST_CASE("counts of other types than i32, and closures of them, are refused") {
  device::CpuContext context(1);
  CHECK_THROWS_AS(make_tiles_cpu({find_semiring("count"), ElementType::i64, Table::counts}, context), DeviceError);
  const auto kernel = make_tiles_cpu(testing::counts_spec(), context);
  std::vector<TileResult> results;
  CHECK_THROWS_AS(testing::run_blocks(context, *kernel, {TileTask{}}, results), DeviceError);
}

TEST_CASE("bits in other words than those of 32 are refused") {
  device::CpuContext context(1);
  CHECK_THROWS_AS(make_tiles_cpu({find_semiring("or_and"), ElementType::u64, Table::bits}, context), DeviceError);
}

}  // namespace
}  // namespace terrace::recursive
