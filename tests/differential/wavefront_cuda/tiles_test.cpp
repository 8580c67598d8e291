// The papers' schedules in kernel tiles on CUDA: every problem against the reference, and their launches.
#include <catch2/catch.hpp>
#include <chrono>
#include <limits>
#include <span>

#include "kernels/wavefront/reference/reference.hpp"
#include "tests/differential/wavefront/samples.hpp"
#include "tests/differential/wavefront/values.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"
#include "tests/support/schedules.hpp"

namespace terrace::wavefront {
namespace {

using test::Letters;
using testing::tile_schedules;

struct Shape {
  std::int64_t rows, columns, block_rows, block_columns;
};

/// Conditions of launch number `turn`: small tiles of several widths, or the schedule's tiles.
CudaTrial trial_of(unsigned turn, const Schedule& schedule) {
  CudaTrial trial;
  if (turn % 3 == 1) trial.thread_blocks = 1 + turn % 2;
  if (turn % 5 == 3) trial.delay_seed = turn + 1;
  if (turn % 4 == 3) return trial;
  constexpr int widths[] = {32, 8, 100, 48};
  trial.tile_height = turn % 8 == 0 ? 64 : 32;
  trial.tile_width = schedule.shape == Schedule::Shape::square ? trial.tile_height : widths[turn / 3 % 4];
  return trial;
}

SweepSpec make_spec(const char* problem, const Settings& settings, const Shape& shape, const std::string& schedule) {
  SweepSpec spec;
  spec.problem = problem;
  spec.settings = settings;
  spec.rows = shape.rows;
  spec.columns = shape.columns;
  spec.block_rows = shape.block_rows;
  spec.block_columns = shape.block_columns;
  spec.value = spec.border = ElementType::i32;
  spec.schedule = *schedule_from(schedule);
  return spec;
}

std::string describe(const SweepSpec& spec, const CudaTrial& trial) {
  return spec.problem + ", " + name_of(spec.schedule) + ", " + std::to_string(spec.rows) + " x " +
         std::to_string(spec.columns) + " in blocks of " + std::to_string(spec.block_rows) + " x " +
         std::to_string(spec.block_columns) + (spec.table ? ", kept" : "") + ", " + std::string(name_of(spec.value)) +
         ", tiles of " + std::to_string(trial.tile_height) + " x " + std::to_string(trial.tile_width) +
         ", thread blocks " + std::to_string(trial.thread_blocks) + ", delays " + std::to_string(trial.delay_seed);
}

template <class P>
void compare_letters(device::Context& context, const Shape& shape, const std::string& schedule, unsigned turn,
                     const Settings& settings = test::sample_settings<P>()) {
  if (!test::is_tried(context, shape.rows * shape.columns)) return;
  SweepSpec spec = make_spec(P::name, settings, shape, schedule);
  if (turn % 3 == 2) spec.value = spec.border = ElementType::i64;
  if (turn % 2 == 1) spec.table = turn % 4 == 1 ? spec.value : ElementType::i64;
  const CudaTrial trial = trial_of(turn, spec.schedule);
  const auto kind = static_cast<Letters>(turn % 4);
  const testing::TableInput input{
      test::letters_for<P>(kind, true, shape.rows, 5), test::letters_for<P>(kind, false, shape.columns, 5), {}};
  const auto expected = letters_reference<P>(problem_constants<P>(spec.settings), input.rows, input.columns);
  testing::CudaTable cuda(spec, context, input, trial);
  cuda.run();
  INFO(describe(spec, trial));
  REQUIRE(cuda.done == cuda.blocks());
  const BlockResult result = testing::total<P>(cuda.results, spec);
  CHECK(result.score == expected.score);
  CHECK(result.row == expected.row);
  CHECK(result.column == expected.column);
  if (!spec.table) return;
  const auto cells = cuda.table();
  std::int64_t wrong = 0;
  dispatch(*spec.table, [&](auto sample) {
    using T = decltype(sample);
    for (std::int64_t n = 0; n < shape.rows * shape.columns; ++n) {
      wrong += test::cell_of<T>(cells, n) != static_cast<T>(expected.h[static_cast<std::size_t>(n)]);
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("on CUDA every problem on letters is exact under every schedule of tiles, around tiles and blocks",
          "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  const std::int64_t sizes[] = {0, 1, 31, 33, 65, 200};
  const std::int64_t cuts[] = {1000, 64, 33, 100, 1000};
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    for (const std::string& schedule : tile_schedules()) {
      for (std::int64_t rows : sizes) {
        for (std::int64_t columns : sizes) {
          compare_letters<P>(*context, {rows, columns, cuts[turn % 5], cuts[turn / 5 % 5]}, schedule, turn);
          ++turn;
        }
      }
    }
  });
}

TEST_CASE("on CUDA tables of several tiles and blocks are exact whatever the delays and the resident thread blocks") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    for (const std::string& schedule : tile_schedules()) {
      for (const Shape& shape : {Shape{2500, 1100, 2500, 1100}, Shape{2500, 1100, 700, 300},
                                 Shape{1777, 777, 400, 777}, Shape{777, 1777, 777, 200}, Shape{1, 5000, 1, 61},
                                 Shape{5000, 1, 333, 1}, Shape{3000, 3100, 3000, 3100}}) {
        compare_letters<P>(*context, shape, schedule, turn++);
      }
    }
  });
}

TEST_CASE("on CUDA alignments with free ends end where the reference ends them under every schedule of tiles") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  for (const std::string& schedule : tile_schedules()) {
    for (const char* ends : {"rows", "columns", "both"}) {
      for (const Shape& shape : {Shape{300, 40, 300, 40}, Shape{130, 350, 60, 70}, Shape{1, 1, 1, 1}}) {
        Settings settings = test::sample_settings<NeedlemanWunschAffine>();
        settings.set("free_ends", std::string(ends));
        compare_letters<NeedlemanWunschAffine>(*context, shape, schedule, turn++, settings);
      }
    }
  }
}

TEST_CASE("on CUDA time warping is exact under every schedule of tiles") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  const auto compare = [&]<class V>(V, const Settings& settings, const Shape& shape, const std::string& schedule) {
    const bool kept = turn % 2 == 0;
    SweepSpec spec =
        test::warping_spec<V>(settings, shape.rows, shape.columns, shape.block_rows, shape.block_columns, kept);
    spec.schedule = *schedule_from(schedule);
    const CudaTrial trial = trial_of(turn, spec.schedule);
    const auto rows = test::make_series<V>(test::Series{}, spec.rows, 3);
    const auto columns = test::make_series<V>(test::Series{}, spec.columns, 4);
    const auto expected = test::warping_reference<V>(spec, rows, columns);
    testing::CudaTable cuda(spec, *context, {test::bytes_of(rows), test::bytes_of(columns), {}}, trial);
    cuda.run();
    INFO(describe(spec, trial));
    REQUIRE(cuda.done == cuda.blocks());
    CHECK(cuda.results.back().score == reported(expected.score));
    if (!kept) return;
    const auto cells = cuda.table();
    std::int64_t wrong = 0;
    for (std::int64_t n = 0; n < spec.rows * spec.columns; ++n) {
      wrong += reported(test::cell_of<V>(cells, n)) != reported(expected.h[static_cast<std::size_t>(n)]);
    }
    CHECK(wrong == 0);
  };
  for (const Settings& settings : test::warpings()) {
    for (const std::string& schedule : tile_schedules()) {
      for (const Shape& shape : {Shape{1, 1, 1, 1}, Shape{65, 200, 65, 200}, Shape{300, 200, 100, 70}}) {
        compare(float{}, settings, shape, schedule);
        ++turn;
        compare(double{}, settings, shape, schedule);
        compare(float{}, test::with_window(settings, 30), shape, schedule);
      }
    }
  }
}

SweepSpec sums_spec(const Shape& shape, const std::string& schedule, ElementType grid, ElementType table,
                    const std::string& overflow = "error") {
  Settings settings;
  settings.set("overflow", overflow);
  SweepSpec spec = make_spec("summed_area", settings, shape, schedule);
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

template <class G, class T>
void compare_sums(device::Context& context, const Shape& shape, const std::string& schedule, unsigned turn,
                  const std::string& overflow = "error") {
  if (!test::is_tried(context, shape.rows * shape.columns)) return;
  using V = std::conditional_t<std::is_floating_point_v<T>, T, i64>;
  std::mt19937 random(turn);
  std::vector<G> grid(static_cast<std::size_t>(shape.rows * shape.columns));
  for (G& value : grid) value = static_cast<G>(static_cast<double>(random() % 200) * 0.37);
  const auto spec = sums_spec(shape, schedule, element_type_of<G>(), element_type_of<T>(), overflow);
  const CudaTrial trial = trial_of(turn, spec.schedule);
  const auto expected = grid_reference<SummedArea, V>(problem_constants<SummedArea>(spec.settings),
                                                      std::span<const G>(grid), spec.rows, spec.columns);
  testing::CudaTable cuda(spec, context, input_of(grid), trial);
  cuda.run();
  INFO(describe(spec, trial) << ", grid of " << name_of(spec.grid));
  REQUIRE(cuda.done == cuda.blocks());
  const auto table = cuda.table();
  std::int64_t wrong = 0;
  for (std::int64_t n = 0; n < spec.rows * spec.columns; ++n) {
    wrong += test::cell_of<T>(table, n) != static_cast<T>(expected.h[static_cast<std::size_t>(n)]);
  }
  CHECK(wrong == 0);
}

TEST_CASE("on CUDA sums are exact, to the bit, under every schedule of tiles") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  for (const std::string& schedule : tile_schedules()) {
    for (const Shape& shape : {Shape{0, 5, 1, 1}, Shape{1, 1, 1, 1}, Shape{33, 300, 33, 300}, Shape{300, 65, 128, 33},
                               Shape{257, 513, 257, 513}, Shape{257, 513, 100, 200}, Shape{2100, 1500, 2100, 1500}}) {
      compare_sums<std::uint8_t, std::int32_t>(*context, shape, schedule, turn++);
      compare_sums<std::uint32_t, std::int32_t>(*context, shape, schedule, turn++, "wrap");
      compare_sums<std::int64_t, std::int64_t>(*context, shape, schedule, turn++);
      compare_sums<float, float>(*context, shape, schedule, turn++);
      compare_sums<std::int16_t, double>(*context, shape, schedule, turn++);
    }
  }
}

template <class T>
void find_overflow(device::Context& context, const std::string& schedule, const CudaTrial& trial) {
  const auto spec = sums_spec({80, 80, 8, 8}, schedule, element_type_of<T>(), element_type_of<T>());
  constexpr T most = std::numeric_limits<T>::max();
  for (auto [spike, failed] : {std::pair<T, std::uint64_t>{most, 5 * 10 + 3 + 1},
                               {most - (80 * 80 - 1) + 1, 100},
                               {most - (80 * 80 - 1), 0}}) {
    std::vector<T> grid(80 * 80, 1);
    grid[40 * 80 + 24] = spike;
    testing::CudaTable cuda(spec, context, input_of(grid), trial);
    cuda.run();
    INFO(describe(spec, trial) << ", " << spike);
    CHECK(cuda.failed == failed);
    CHECK(cuda.done == (failed == 0 ? 100 : failed - 1));
  }
}

TEST_CASE("on CUDA, under every schedule of tiles, the first block whose sums leave the type fails") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (const std::string& schedule : tile_schedules()) {
    for (unsigned turn : {0, 1, 3}) {
      const CudaTrial trial = trial_of(turn, *schedule_from(schedule));
      find_overflow<std::int32_t>(*context, schedule, trial);
      find_overflow<std::int64_t>(*context, schedule, trial);
    }
  }
}

/// A table of letters with its score.
struct Table {
  Table(device::Context& context, const Shape& shape, const std::string& schedule, unsigned turn,
        std::uint64_t ring = 3)
      : spec(make_spec("lcs", {}, shape, schedule)),
        input{test::make_letters(Letters::random, true, spec.rows, 3),
              test::make_letters(Letters::random, false, spec.columns, 3),
              {}},
        cuda(spec, context, input, trial_of(turn, spec.schedule), ring),
        expected(letters_reference<Lcs>({1, 0}, input.rows, input.columns).score) {}

  SweepSpec spec;
  testing::TableInput input;
  testing::CudaTable cuda;
  std::int64_t expected;
};

TEST_CASE("a CUDA launch of tiles that is stopped finishes what it began, and a later one goes on") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (const std::string& schedule : tile_schedules()) {
    for (unsigned stop_after : {0u, 1u, 5u}) {
      Table table(*context, {200, 300, 37, 41}, schedule, stop_after);
      std::uint64_t done = 0;
      int launches = 0;
      for (; done < table.cuda.blocks(); ++launches) {
        table.cuda.run(done, table.cuda.blocks() - done, launches < 3 ? stop_after : ~0ull);
        REQUIRE(table.cuda.failed == 0);
        REQUIRE(launches < 60);
        done = table.cuda.done;
      }
      INFO(schedule);
      CHECK(table.cuda.results.back().score == table.expected);
    }
  }
}

TEST_CASE("an aborted CUDA launch of tiles ends soon, even while it waits for blocks that never come") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (const std::string& schedule : tile_schedules()) {
    for (std::uint64_t abort_after : {0, 1, 7}) {
      Table table(*context, {400, 400, 20, 20}, schedule, 3);
      const auto before = std::chrono::steady_clock::now();
      table.cuda.run(0, table.cuda.blocks(), ~0ull, abort_after);
      CHECK(table.cuda.done < table.cuda.blocks());
      CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(20));
    }
  }
}

TEST_CASE("every split of a table into CUDA launches of tiles, and every ring, gives the same result", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  for (const std::string& schedule : tile_schedules()) {
    for (std::uint64_t part : {1, 3, 100}) {
      Table table(*context, {150, 170, 40, 50}, schedule, turn++, part == 3 ? 1 : 40);
      for (std::uint64_t first = 0; first < table.cuda.blocks(); first += part) {
        const std::uint64_t count = std::min<std::uint64_t>(part, table.cuda.blocks() - first);
        table.cuda.run(first, count);
        REQUIRE(table.cuda.done == first + count);
      }
      CHECK(table.cuda.results.back().score == table.expected);
    }
  }
}

TEST_CASE("a schedule of tiles that has no name and no kernel is refused") {
  SweepSpec spec = make_spec("lcs", {}, {100, 100, 100, 100}, "shared_hyperplane");
  spec.schedule.shape = Schedule::Shape::square;
  CHECK_THROWS_WITH(cuda_workspace_bytes(spec, device::Limits{}, CudaTrial{}),
                    Catch::Contains("square, counter, shared"));
}

}  // namespace
}  // namespace terrace::wavefront
