// Summed-area tables on the CPU against the reference: every grid type, overflow, wrapping.
#include <catch2/catch.hpp>
#include <limits>
#include <memory>
#include <span>

#include "kernels/wavefront/reference/reference.hpp"
#include "kernels/wavefront/visit.hpp"
#include "tests/differential/wavefront/feeder.hpp"
#include "tests/differential/wavefront/samples.hpp"

namespace terrace::wavefront {
namespace {

__extension__ typedef __int128 Wide;

constexpr std::int64_t sizes[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 200};

SweepSpec make_spec(std::int64_t rows, std::int64_t columns, std::int64_t block_rows, std::int64_t block_columns,
                    ElementType grid, ElementType table, const std::string& overflow = "error") {
  SweepSpec spec;
  spec.problem = "summed_area";
  spec.settings.set("overflow", overflow);
  spec.rows = rows;
  spec.columns = columns;
  spec.block_rows = block_rows;
  spec.block_columns = block_columns;
  spec.grid = grid;
  spec.value = table;
  spec.table = table;
  spec.border = is_floating(table) ? table : ElementType::i64;
  return spec;
}

template <class G>
std::vector<std::byte> bytes_of(const std::vector<G>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(G));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class G>
std::vector<G> random_grid(std::int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<G> grid(static_cast<std::size_t>(count));
  for (G& value : grid) {
    if constexpr (std::is_floating_point_v<G>) {
      value = static_cast<G>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.25);
    } else if constexpr (std::is_signed_v<G>) {
      value = static_cast<G>(static_cast<std::int64_t>(random() % 255) - 127);
    } else {
      value = static_cast<G>(random() % 256);
    }
  }
  return grid;
}

/// Sweeps the whole table and compares every cell, to the bit, with `expected`.
template <class T, class G, class V>
void check_table(device::Context& context, const SweepSpec& spec, const std::vector<G>& grid,
                 const ReferenceTable<V>& expected, const test::Feeding& how = {}) {
  test::TableMemory memory(spec, {}, {}, bytes_of(grid));
  const auto sweep = make_cpu_sweep(spec, context);
  const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
  const test::Fed fed = test::feed(*sweep, memory, 0, blocks, how);
  INFO(spec.rows << " x " << spec.columns << " in blocks of " << spec.block_rows << " x " << spec.block_columns
                 << ", " << name_of(spec.grid) << " to " << name_of(spec.value));
  REQUIRE(fed.done == blocks);
  REQUIRE(fed.failed == 0);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < spec.rows; ++i) {
    for (std::int64_t j = 0; j < spec.columns; ++j) {
      wrong += memory.cell<T>(i, j) != static_cast<T>(expected.at(i, j));
    }
  }
  CHECK(wrong == 0);
  if (spec.rows * spec.columns == 0) return;
  const std::int64_t score = memory.results().back().score;
  if constexpr (std::is_floating_point_v<T>) {
    double value = 0;
    std::memcpy(&value, &score, sizeof value);
    CHECK(value == expected.score);
  } else {
    CHECK(static_cast<T>(score) == static_cast<T>(expected.score));
  }
}

template <class G, class T>
void check_types(device::Context& context, const std::string& overflow = "error") {
  using V = std::conditional_t<std::is_floating_point_v<T>, T, i64>;
  unsigned turn = 0;
  for (std::int64_t rows : sizes) {
    for (std::int64_t columns : sizes) {
      const std::int64_t cuts[] = {1000, 64, 33, 7, 1};
      const auto grid = random_grid<G>(rows * columns, turn);
      const auto spec = make_spec(rows, columns, rows > 40 ? cuts[turn % 4] : cuts[turn % 5],
                                  columns > 40 ? cuts[turn / 3 % 4] : cuts[turn / 3 % 5], element_type_of<G>(),
                                  element_type_of<T>(), overflow);
      const auto expected = grid_reference<SummedArea, V>(problem_constants<SummedArea>(spec.settings),
                                                          std::span<const G>(grid), rows, columns);
      check_table<T>(context, spec, grid, expected);
      ++turn;
    }
  }
}

TEST_CASE("sums of every integer grid type equal the reference at sizes around vectors and blocks") {
  const auto context = device::make_cpu_context(3);
  check_types<std::uint8_t, std::int32_t>(*context);
  check_types<std::int8_t, std::int32_t>(*context);
  check_types<std::uint16_t, std::int32_t>(*context);
  check_types<std::int16_t, std::int32_t>(*context);
  check_types<std::int32_t, std::int32_t>(*context);
  check_types<std::uint32_t, std::int32_t>(*context);
  check_types<std::uint8_t, std::int64_t>(*context);
  check_types<std::uint32_t, std::int64_t>(*context);
  check_types<std::int64_t, std::int64_t>(*context);
  check_types<std::int32_t, std::int32_t>(*context, "wrap");
}

TEST_CASE("floating-point sums have the reference's bits however the table is cut") {
  const auto context = device::make_cpu_context(3);
  check_types<float, float>(*context);
  check_types<float, double>(*context);
  check_types<double, double>(*context);
  check_types<std::uint8_t, float>(*context);
}

TEST_CASE("sums over several bands, chunks and blocks are exact whatever the feeder's delays") {
  const auto context = device::make_cpu_context(3);
  const std::int64_t rows = 301, columns = 5003;
  const auto grid = random_grid<std::int32_t>(rows * columns, 9);
  for (auto [block_rows, block_columns] : {std::pair<int, int>{301, 5003}, {100, 5003}, {301, 777}, {77, 2500}}) {
    const auto spec = make_spec(rows, columns, block_rows, block_columns, ElementType::i32, ElementType::i32);
    const auto expected = grid_reference<SummedArea, i64>({0}, std::span<const std::int32_t>(grid), rows, columns);
    check_table<std::int32_t>(*context, spec, grid, expected, {3, 300, 4, ~0ull, ~0ull});
  }
}

/// The first failed block of a table of ones with one other value; the results before it.
test::Fed feed_spike(const SweepSpec& spec, std::int64_t at, std::int64_t value) {
  const auto context = device::make_cpu_context(2);
  std::vector<std::int32_t> grid(static_cast<std::size_t>(spec.rows * spec.columns), 1);
  grid[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(value);
  test::TableMemory memory(spec, {}, {}, bytes_of(grid));
  const auto sweep = make_cpu_sweep(spec, *context);
  return test::feed(*sweep, memory, 0, static_cast<std::uint64_t>(memory.grid().count()), {3, 100, 1, ~0ull, ~0ull});
}

TEST_CASE("the first block whose sums leave the type fails, and all before it are done") {
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  // 10 x 10 blocks of 8 x 8 cells; the spike is the first cell of block 53.
  const auto spec = make_spec(80, 80, 8, 8, ElementType::i32, ElementType::i32);
  const std::int64_t spike = 40 * 80 + 24;
  SECTION("a spike that alone is too much fails its own block") {
    const auto fed = feed_spike(spec, spike, most);
    CHECK(fed.failed == 5 * 10 + 3 + 1);
    CHECK(fed.done == 5 * 10 + 3);
  }
  SECTION("one that just fits until the last cell fails the last block") {
    const auto fed = feed_spike(spec, spike, most - (80 * 80 - 1) + 1);
    CHECK(fed.failed == 100);
    CHECK(fed.done == 99);
  }
  SECTION("one that just fits is no failure") {
    const auto fed = feed_spike(spec, spike, most - (80 * 80 - 1));
    CHECK(fed.failed == 0);
    CHECK(fed.done == 100);
  }
}

TEST_CASE("sums below the least value are found as well, and sums that come back in time are none") {
  const auto context = device::make_cpu_context(1);
  const std::int32_t least = std::numeric_limits<std::int32_t>::min();
  const auto run = [&](const std::vector<std::int32_t>& grid, std::int64_t rows, std::int64_t columns) {
    const auto spec = make_spec(rows, columns, rows, columns, ElementType::i32, ElementType::i32);
    test::TableMemory memory(spec, {}, {}, bytes_of(grid));
    return test::feed(*make_cpu_sweep(spec, *context), memory, 0, 1).failed;
  };
  CHECK(run({least, -1}, 1, 2) == 1);
  CHECK(run({least, -1}, 2, 1) == 1);
  CHECK(run({least, 1, -1}, 1, 3) == 0);
  // Each row on its own is far from the limit.
  CHECK(run({1 << 30, 1 << 30}, 2, 1) == 1);
  CHECK(run({1 << 30, (1 << 30) - 1}, 2, 1) == 0);
  CHECK(run({1 << 29, 1 << 29, 1 << 29, 1 << 29}, 4, 1) == 1);
  CHECK(run({1 << 29, 1 << 29, 1 << 29, (1 << 29) - 1}, 4, 1) == 0);
  CHECK(run({-(1 << 30), -(1 << 30), -1}, 3, 1) == 1);
  CHECK(run({-(1 << 30), -(1 << 30), 0}, 3, 1) == 0);
  // The second row's own sum leaves 32 bits (2^31 and more), yet every H fits: -2^31 + 2^31 is 0.
  CHECK(run({least, 0, 0, 2147483647, 1, 5}, 2, 3) == 0);
}

/// True if a table of one row, one block, of type T fails.
template <class T, class G>
bool row_fails(std::vector<G> grid) {
  const auto context = device::make_cpu_context(1);
  const auto count = static_cast<std::int64_t>(grid.size());
  const auto spec = make_spec(1, count, 1, count, element_type_of<G>(), element_type_of<T>());
  test::TableMemory memory(spec, {}, {}, bytes_of(grid));
  const auto fed = test::feed(*make_cpu_sweep(spec, *context), memory, 0, 1);
  CHECK(fed.done == (fed.failed == 0 ? 1 : 0));
  if (fed.failed == 0) {
    Wide sum = 0;
    for (G value : grid) sum += value;
    CHECK(memory.cell<T>(0, count - 1) == static_cast<T>(sum));
  }
  return fed.failed != 0;
}

TEST_CASE("the last value that fits is kept and the first that does not is found, in every wide type") {
  using Limits32 = std::numeric_limits<std::int32_t>;
  using Limits64 = std::numeric_limits<std::int64_t>;
  CHECK_FALSE(row_fails<std::int32_t>(std::vector<std::uint32_t>{2147483647u}));
  CHECK(row_fails<std::int32_t>(std::vector<std::uint32_t>{2147483648u}));
  CHECK(row_fails<std::int32_t>(std::vector<std::uint32_t>{4294967295u}));
  CHECK(row_fails<std::int32_t>(std::vector<std::uint32_t>(40, 1u << 27)));
  CHECK_FALSE(row_fails<std::int64_t>(std::vector<std::uint32_t>(40, 4294967295u)));
  CHECK_FALSE(row_fails<std::int32_t>(std::vector<std::int32_t>{Limits32::min(), Limits32::max(), 1}));
  CHECK(row_fails<std::int32_t>(std::vector<std::int32_t>{Limits32::max(), 1, -5}));
  CHECK_FALSE(row_fails<std::int64_t>(std::vector<std::int64_t>{Limits64::max(), -1, 1}));
  CHECK(row_fails<std::int64_t>(std::vector<std::int64_t>{Limits64::max(), 1, -1}));
  CHECK(row_fails<std::int64_t>(std::vector<std::int64_t>{Limits64::min(), -1}));
  CHECK_FALSE(row_fails<std::int32_t>(std::vector<std::uint8_t>(3000, 255)));
}

TEST_CASE("wrapped sums give every rectangle that fits") {
  const auto context = device::make_cpu_context(2);
  const std::int64_t rows = 64, columns = 100;
  std::vector<std::int32_t> grid(static_cast<std::size_t>(rows * columns), 1 << 28);
  const auto spec = make_spec(rows, columns, 20, 30, ElementType::i32, ElementType::i32, "wrap");
  check_table<std::int32_t>(*context, spec, grid,
                            grid_reference<SummedArea, i64>({1}, std::span<const std::int32_t>(grid), rows, columns));
}

TEST_CASE("types that do not fit together are refused by name") {
  const auto context = device::make_cpu_context(1);
  const auto refused = [&](ElementType grid, ElementType table) {
    CHECK_THROWS_AS(make_cpu_sweep(make_spec(4, 4, 4, 4, grid, table), *context), DeviceError);
  };
  refused(ElementType::f32, ElementType::i32);
  refused(ElementType::i64, ElementType::i32);
  refused(ElementType::u64, ElementType::i64);
  refused(ElementType::u8, ElementType::u8);
  auto spec = make_spec(4, 4, 4, 4, ElementType::u8, ElementType::i64);
  spec.border = ElementType::i32;
  CHECK_THROWS_WITH(make_cpu_sweep(spec, *context), Catch::Contains("borders of type i32"));
}

}  // namespace
}  // namespace terrace::wavefront
