// Summed-area tables on CUDA against the reference: every grid type, strips, overflow.
#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <span>

#include "kernels/wavefront/reference/reference.hpp"
#include "kernels/wavefront/visit.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"

namespace terrace::wavefront {
namespace {

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
testing::TableInput input_of(const std::vector<G>& values) {
  testing::TableInput input;
  input.grid.resize(values.size() * sizeof(G));
  if (!values.empty()) std::memcpy(input.grid.data(), values.data(), input.grid.size());
  return input;
}

/// Floating-point values have fractions and very different sizes, so that another order of additions shows.
template <class G>
std::vector<G> random_grid(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<G> grid(static_cast<std::size_t>(count));
  for (G& value : grid) {
    const int number = static_cast<int>(random() % 256) - (std::is_signed_v<G> ? 128 : 0);
    value = static_cast<G>(number);
    if constexpr (std::is_floating_point_v<G>) value = static_cast<G>(value * 0.37 / (1 << random() % 20));
  }
  return grid;
}

/// Sweeps the whole table and compares every cell with a plain loop.
template <class T, class G>
void compare(device::Context& context, const SweepSpec& spec, unsigned seed, const CudaTrial& trial) {
  if (!test::is_tried(context, spec.rows * spec.columns)) return;
  using V = std::conditional_t<std::is_floating_point_v<T>, T, i64>;
  const auto grid = random_grid<G>(spec.rows * spec.columns, seed);
  const auto expected = grid_reference<SummedArea, V>(problem_constants<SummedArea>(spec.settings),
                                                      std::span<const G>(grid), spec.rows, spec.columns);
  testing::CudaTable cuda(spec, context, input_of(grid), trial);
  cuda.run();
  INFO(spec.rows << " x " << spec.columns << " in blocks of " << spec.block_rows << " x " << spec.block_columns
                 << ", " << name_of(spec.grid) << " to " << name_of(spec.value) << ", thread blocks "
                 << trial.thread_blocks << ", delays " << trial.delay_seed);
  REQUIRE(cuda.done == cuda.blocks());
  const auto table = cuda.table();
  std::int64_t wrong = 0;
  for (std::int64_t n = 0; n < spec.rows * spec.columns; ++n) {
    wrong += test::cell_of<T>(table, n) != static_cast<T>(expected.h[static_cast<std::size_t>(n)]);
  }
  CHECK(wrong == 0);
  if (spec.rows * spec.columns == 0) return;
  const std::int64_t score = cuda.results.back().score;
  if constexpr (std::is_floating_point_v<T>) {
    double value = 0;
    std::memcpy(&value, &score, sizeof value);
    CHECK(value == static_cast<double>(expected.score));
  } else {
    CHECK(static_cast<T>(score) == static_cast<T>(expected.score));
  }
}

template <class G, class T>
void compare_sizes(device::Context& context, const std::string& overflow = "error") {
  const std::int64_t sizes[] = {0, 1, 33, 65, 200, 300};
  const std::int64_t widths[] = {0, 1, 33, 127, 128, 129, 260, 1300};
  const std::int64_t cuts[] = {1000, 64, 33, 7, 128};
  unsigned turn = 0;
  for (std::int64_t rows : sizes) {
    for (std::int64_t columns : widths) {
      const auto spec = make_spec(rows, columns, cuts[turn % 5], cuts[turn / 3 % 5], element_type_of<G>(),
                                  element_type_of<T>(), overflow);
      compare<T, G>(context, spec, turn, test::trial_of(turn));
      ++turn;
    }
  }
}

TEST_CASE("on CUDA sums of every grid type equal the reference at sizes around warps and blocks") {
  const auto context = test::cuda_context();
  if (!context) return;
  compare_sizes<std::uint8_t, std::int32_t>(*context);
  compare_sizes<std::int8_t, std::int32_t>(*context);
  compare_sizes<std::uint8_t, std::int32_t>(*context, "wrap");
  compare_sizes<std::int8_t, std::int32_t>(*context, "wrap");
  compare_sizes<std::uint16_t, std::int32_t>(*context, "wrap");
  compare_sizes<std::int16_t, std::int32_t>(*context, "wrap");
  compare_sizes<std::uint16_t, std::int32_t>(*context);
  compare_sizes<std::int16_t, std::int32_t>(*context);
  compare_sizes<std::int16_t, std::int64_t>(*context);
  compare_sizes<std::uint16_t, std::int64_t>(*context, "wrap");
  compare_sizes<std::int32_t, std::int64_t>(*context);
  compare_sizes<std::uint32_t, std::int64_t>(*context);
  compare_sizes<std::int64_t, std::int64_t>(*context, "wrap");
  compare_sizes<std::int32_t, std::int32_t>(*context);
  compare_sizes<std::uint32_t, std::int32_t>(*context);
  compare_sizes<std::uint8_t, std::int64_t>(*context);
  compare_sizes<std::int64_t, std::int64_t>(*context);
  compare_sizes<std::int32_t, std::int32_t>(*context, "wrap");
  compare_sizes<float, float>(*context);
  compare_sizes<float, double>(*context);
  compare_sizes<double, double>(*context);
  compare_sizes<std::uint8_t, float>(*context);
}

TEST_CASE("on CUDA sums over several bands, pieces and blocks are exact whatever the delays", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  for (auto [block_rows, block_columns] : {std::pair<int, int>{301, 5003}, {100, 5003}, {301, 777}, {77, 2500}}) {
    for (const char* overflow : {"error", "wrap"}) {
      const auto spec = make_spec(301, 5003, block_rows, block_columns, ElementType::i32, ElementType::i32, overflow);
      for (int repeat = 0; repeat < 4; ++repeat, ++turn) {
        compare<std::int32_t, std::int32_t>(*context, spec, turn, test::trial_of(turn));
      }
    }
  }
}

TEST_CASE("on CUDA flat and tall tables, and ones of many strips, are exact") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  for (auto [rows, columns] : {std::pair<int, int>{1, 300001}, {2, 70000}, {100003, 1}, {30000, 130}, {2500, 2052}}) {
    for (auto [block_rows, block_columns] : {std::pair<int, int>{1 << 20, 1 << 20}, {1000, 1 << 20}, {700, 40004}}) {
      const auto wide = make_spec(rows, columns, block_rows, block_columns, ElementType::u8, ElementType::i64);
      compare<std::int64_t, std::uint8_t>(*context, wide, turn, test::trial_of(turn));
      const auto wraps =
          make_spec(rows, columns, block_rows, block_columns, ElementType::i32, ElementType::i32, "wrap");
      compare<std::int32_t, std::int32_t>(*context, wraps, turn, test::trial_of(turn));
      const auto checked = make_spec(rows, columns, block_rows, block_columns, ElementType::i16, ElementType::i32);
      compare<std::int32_t, std::int16_t>(*context, checked, turn, test::trial_of(turn));
      ++turn;
    }
  }
}

TEST_CASE("on CUDA a sweep computes the same table again, launch after launch") {
  const auto context = test::cuda_context();
  if (!context) return;
  const auto spec = make_spec(500, 2000, 130, 2000, ElementType::u8, ElementType::i32, "wrap");
  const auto grid = random_grid<std::uint8_t>(spec.rows * spec.columns, 3);
  testing::CudaTable cuda(spec, *context, input_of(grid));
  cuda.run();
  const auto first = cuda.table();
  for (int repeat = 0; repeat < 3; ++repeat) {
    cuda.run();
    REQUIRE(cuda.done == cuda.blocks());
    CHECK(cuda.table() == first);
  }
}

TEST_CASE("on CUDA a launch of sums that is stopped or aborted ends, and the rest can follow") {
  const auto context = test::cuda_context();
  if (!context) return;
  const auto spec = make_spec(2000, 3000, 20, 3000, ElementType::i32, ElementType::i32, "wrap");
  const auto grid = random_grid<std::int32_t>(spec.rows * spec.columns, 5);
  const auto expected = grid_reference<SummedArea, i64>({1}, std::span<const std::int32_t>(grid), 2000, 3000);
  for (bool aborts : {false, true}) {
    testing::CudaTable cuda(spec, *context, input_of(grid));
    cuda.run(0, cuda.blocks(), aborts ? ~0ull : 30, aborts ? 30 : ~0ull);
    const std::uint64_t done = cuda.done;
    REQUIRE(done >= 30);
    cuda.run(done, cuda.blocks() - done);
    REQUIRE(cuda.done == cuda.blocks());
    const auto table = cuda.table();
    std::int64_t wrong = 0;
    for (std::int64_t n = 0; n < 2000 * 3000; ++n) {
      wrong +=
          test::cell_of<std::int32_t>(table, n) != static_cast<std::int32_t>(expected.h[static_cast<std::size_t>(n)]);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("on CUDA the first block whose sums leave the type fails, and all before it are done") {
  const auto context = test::cuda_context();
  if (!context) return;
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto spec = make_spec(80, 80, 8, 8, ElementType::i32, ElementType::i32);
  for (auto [spike, failed] : {std::pair<std::int64_t, std::uint64_t>{most, 5 * 10 + 3 + 1},
                               {most - (80 * 80 - 1) + 1, 100},
                               {most - (80 * 80 - 1), 0}}) {
    std::vector<std::int32_t> grid(80 * 80, 1);
    grid[40 * 80 + 24] = static_cast<std::int32_t>(spike);
    for (unsigned turn = 0; turn < 4; ++turn) {
      testing::CudaTable cuda(spec, *context, input_of(grid), test::trial_of(turn));
      cuda.run();
      CHECK(cuda.failed == failed);
      CHECK(cuda.done == (failed == 0 ? 100 : failed - 1));
    }
  }
}

TEST_CASE("on CUDA sums below the least value are found as well, and sums that come back in time are none") {
  const auto context = test::cuda_context();
  if (!context) return;
  const std::int32_t least = std::numeric_limits<std::int32_t>::min();
  const auto run = [&](const std::vector<std::int32_t>& grid, std::int64_t rows, std::int64_t columns) {
    testing::CudaTable cuda(make_spec(rows, columns, rows, columns, ElementType::i32, ElementType::i32), *context,
                            input_of(grid));
    cuda.run();
    return cuda.failed;
  };
  CHECK(run({least, -1}, 1, 2) == 1);
  CHECK(run({least, -1}, 2, 1) == 1);
  CHECK(run({least, 1, -1}, 1, 3) == 0);
  CHECK(run({least, 0, 0, 2147483647, 1, 5}, 2, 3) == 0);
}

TEST_CASE("on CUDA types that do not fit together are refused") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (auto [grid, table] : {std::pair{ElementType::f32, ElementType::i32},
                             {ElementType::i64, ElementType::i32},
                             {ElementType::u64, ElementType::i64},
                             {ElementType::u8, ElementType::u8}}) {
    CHECK_THROWS_AS(cuda_workspace_bytes(make_spec(4, 4, 4, 4, grid, table), context->limits(), CudaTrial{}),
                    DeviceError);
  }
}

}  // namespace
}  // namespace terrace::wavefront
