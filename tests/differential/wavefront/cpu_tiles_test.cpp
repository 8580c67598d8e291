// The papers' schedules in kernel tiles on the CPU: every problem against the reference, and their launches.
#include <catch2/catch.hpp>
#include <chrono>
#include <limits>
#include <memory>
#include <span>

#include "kernels/wavefront/reference/reference.hpp"
#include "tests/differential/wavefront/feeder.hpp"
#include "tests/differential/wavefront/samples.hpp"
#include "tests/differential/wavefront/values.hpp"
#include "tests/support/schedules.hpp"

namespace terrace::wavefront {
namespace {

using test::Letters;
using testing::tile_schedules;

struct Shape {
  std::int64_t rows, columns, block_rows, block_columns;
};

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

std::string describe(const SweepSpec& spec) {
  return spec.problem + ", " + name_of(spec.schedule) + ", " + std::to_string(spec.rows) + " x " +
         std::to_string(spec.columns) + " in blocks of " + std::to_string(spec.block_rows) + " x " +
         std::to_string(spec.block_columns) + (spec.table ? ", kept" : "");
}

template <class T, class V>
std::int64_t wrong_cells(const test::TableMemory& memory, const ReferenceTable<V>& expected, double scale) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < expected.rows; ++i) {
    for (std::int64_t j = 0; j < expected.columns; ++j) {
      const double exact = static_cast<double>(expected.at(i, j)) / scale;
      const T wanted = scale != 1 ? static_cast<T>(exact) : static_cast<T>(expected.at(i, j));
      wrong += memory.cell<T>(i, j) != wanted;
    }
  }
  return wrong;
}

template <class P>
void compare_letters(device::Context& context, SweepSpec spec, Letters kind, const test::Feeding& how = {}) {
  const auto rows = test::letters_for<P>(kind, true, spec.rows, 5);
  const auto columns = test::letters_for<P>(kind, false, spec.columns, 5);
  const auto expected = letters_reference<P>(problem_constants<P>(spec.settings), rows, columns);
  const double scale = static_cast<double>(score_scale(P::name, spec.settings));
  for (const bool kept : {false, true}) {
    if (kept) spec.table = scale != 1 ? ElementType::f64 : ElementType::i64;
    test::TableMemory memory(spec, rows, columns, {});
    const auto sweep = make_cpu_sweep(spec, context);
    const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
    const test::Fed fed = test::feed(*sweep, memory, 0, blocks, how);
    INFO(describe(spec));
    REQUIRE(fed.done == blocks);
    REQUIRE(fed.failed == 0);
    const BlockResult result = testing::total<P>(memory.results(), spec);
    CHECK(result.score == expected.score);
    CHECK(result.row == expected.row);
    CHECK(result.column == expected.column);
    if (!kept) continue;
    dispatch(*spec.table, [&](auto sample) { CHECK(wrong_cells<decltype(sample)>(memory, expected, scale) == 0); });
  }
}

TEST_CASE("every problem on letters is exact under every schedule of tiles at sizes around tiles and blocks") {
  const auto context = device::make_cpu_context(3);
  const std::int64_t sizes[] = {0, 1, 31, 33, 129, 257, 300};
  const std::int64_t cuts[] = {1000, 64, 33, 7, 100, 1000};
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    for (const std::string& schedule : tile_schedules()) {
      for (std::int64_t rows : sizes) {
        for (std::int64_t columns : sizes) {
          const Shape shape{rows, columns, cuts[turn % 6], cuts[turn / 5 % 6]};
          compare_letters<P>(*context, make_spec(P::name, test::sample_settings<P>(), shape, schedule),
                             static_cast<Letters>(turn % 4));
          ++turn;
        }
      }
    }
  });
}

TEST_CASE("tables of several tiles and blocks, flat ones and tall ones, are exact whatever the feeder's delays") {
  const auto context = device::make_cpu_context(3);
  test::for_each_letters_problem([&]<class P>(P) {
    for (const std::string& schedule : tile_schedules()) {
      for (const Shape& shape : {Shape{1100, 900, 1100, 900}, Shape{1100, 900, 500, 300}, Shape{700, 1300, 300, 1300},
                                 Shape{900, 700, 900, 100}, Shape{1, 3000, 1, 700}, Shape{3000, 1, 700, 1}}) {
        const test::Feeding how{3, 100, static_cast<unsigned>(shape.block_rows), ~0ull, ~0ull};
        compare_letters<P>(*context, make_spec(P::name, test::sample_settings<P>(), shape, schedule), Letters::random,
                           how);
      }
    }
  });
}

TEST_CASE("scores with decimals are scaled under every schedule of tiles") {
  const auto context = device::make_cpu_context(2);
  Settings settings;
  settings.set("match", 1.5);
  settings.set("mismatch", -0.125);
  settings.set("gap_open", 2.5);
  settings.set("gap_extend", 0.75);
  for (const std::string& schedule : tile_schedules()) {
    compare_letters<SmithWatermanAffine>(
        *context, make_spec("smith_waterman", settings, {130, 150, 60, 70}, schedule), Letters::random);
  }
}

TEST_CASE("time warping is exact, to the bit, under every schedule of tiles") {
  const auto context = device::make_cpu_context(3);
  const auto compare = [&]<class V>(V, const Settings& settings, const Shape& shape, const std::string& schedule) {
    SweepSpec spec =
        test::warping_spec<V>(settings, shape.rows, shape.columns, shape.block_rows, shape.block_columns, true);
    spec.schedule = *schedule_from(schedule);
    const auto rows = test::make_series<V>(test::Series::random, spec.rows, 3);
    const auto columns = test::make_series<V>(test::Series::random, spec.columns, 4);
    const auto expected = test::warping_reference<V>(spec, rows, columns);
    test::TableMemory memory(spec, test::bytes_of(rows), test::bytes_of(columns), {});
    const auto sweep = make_cpu_sweep(spec, *context);
    const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
    INFO(describe(spec));
    REQUIRE(test::feed(*sweep, memory, 0, blocks).done == blocks);
    CHECK(memory.results().back().score == reported(expected.score));
    CHECK(wrong_cells<V>(memory, expected, 1) == 0);
  };
  for (const Settings& settings : test::warpings()) {
    for (const std::string& schedule : tile_schedules()) {
      for (const Shape& shape : {Shape{1, 1, 1, 1}, Shape{65, 600, 65, 600}, Shape{600, 200, 100, 70}}) {
        compare(float{}, settings, shape, schedule);
        compare(double{}, settings, shape, schedule);
        compare(float{}, test::with_window(settings, 30), shape, schedule);
      }
    }
  }
}

TEST_CASE("alignments with free ends end where the reference ends them under every schedule of tiles") {
  const auto context = device::make_cpu_context(3);
  for (const std::string& schedule : tile_schedules()) {
    for (const char* ends : {"rows", "columns", "both"}) {
      for (const Shape& shape : {Shape{300, 40, 300, 40}, Shape{130, 350, 60, 70}, Shape{1, 1, 1, 1}}) {
        Settings settings = test::sample_settings<NeedlemanWunschAffine>();
        settings.set("free_ends", std::string(ends));
        compare_letters<NeedlemanWunschAffine>(*context, make_spec("needleman_wunsch", settings, shape, schedule),
                                               Letters::random);
      }
    }
  }
}

template <class G>
std::vector<G> random_grid(std::int64_t count) {
  std::mt19937 random(3);
  std::vector<G> grid(static_cast<std::size_t>(count));
  for (G& value : grid) value = static_cast<G>(static_cast<double>(random() % 200) * 0.37);
  return grid;
}

template <class G>
std::vector<std::byte> bytes_of(const std::vector<G>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(G));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
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

template <class G, class T>
void compare_sums(device::Context& context, const Shape& shape, const std::string& overflow = "error") {
  using V = std::conditional_t<std::is_floating_point_v<T>, T, i64>;
  const auto grid = random_grid<G>(shape.rows * shape.columns);
  for (const std::string& schedule : tile_schedules()) {
    const auto spec = sums_spec(shape, schedule, element_type_of<G>(), element_type_of<T>(), overflow);
    const auto expected = grid_reference<SummedArea, V>(problem_constants<SummedArea>(spec.settings),
                                                        std::span<const G>(grid), spec.rows, spec.columns);
    test::TableMemory memory(spec, {}, {}, bytes_of(grid));
    const auto sweep = make_cpu_sweep(spec, context);
    const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
    INFO(describe(spec) << ", " << name_of(spec.grid) << " to " << name_of(spec.value));
    REQUIRE(test::feed(*sweep, memory, 0, blocks).done == blocks);
    CHECK(wrong_cells<T>(memory, expected, 1) == 0);
  }
}

TEST_CASE("sums of every grid type are exact, to the bit, under every schedule of tiles") {
  const auto context = device::make_cpu_context(3);
  for (const Shape& shape : {Shape{0, 5, 1, 1}, Shape{1, 1, 1, 1}, Shape{33, 300, 33, 300}, Shape{300, 65, 128, 33},
                             Shape{257, 513, 257, 513}, Shape{257, 513, 100, 200}}) {
    compare_sums<std::uint8_t, std::int32_t>(*context, shape);
    compare_sums<std::int16_t, std::int64_t>(*context, shape);
    compare_sums<std::uint32_t, std::int32_t>(*context, shape, "wrap");
    compare_sums<std::int64_t, std::int64_t>(*context, shape);
    compare_sums<float, float>(*context, shape);
    compare_sums<float, double>(*context, shape);
    compare_sums<double, double>(*context, shape);
  }
}

TEST_CASE("under every schedule of tiles the first block whose sums leave the type fails") {
  const auto context = device::make_cpu_context(3);
  for (const std::string& schedule : tile_schedules()) {
    for (ElementType type : {ElementType::i32, ElementType::i64}) {
      const auto spec = sums_spec({80, 80, 8, 8}, schedule, type, type);
      const std::int64_t most = type == ElementType::i32 ? std::numeric_limits<std::int32_t>::max()
                                                         : std::numeric_limits<std::int64_t>::max();
      for (auto [spike, failed] : {std::pair<std::int64_t, std::uint64_t>{most, 5 * 10 + 3 + 1},
                                   {most - (80 * 80 - 1) + 1, 100},
                                   {most - (80 * 80 - 1), 0}}) {
        std::vector<std::byte> bytes;
        if (type == ElementType::i32) {
          std::vector<std::int32_t> grid(80 * 80, 1);
          grid[40 * 80 + 24] = static_cast<std::int32_t>(spike);
          bytes = bytes_of(grid);
        } else {
          std::vector<std::int64_t> grid(80 * 80, 1);
          grid[40 * 80 + 24] = spike;
          bytes = bytes_of(grid);
        }
        test::TableMemory memory(spec, {}, {}, bytes);
        const auto sweep = make_cpu_sweep(spec, *context);
        const test::Fed fed = test::feed(*sweep, memory, 0, 100);
        INFO(describe(spec) << ", " << name_of(type) << ", " << spike);
        CHECK(fed.failed == failed);
        CHECK(fed.done == (failed == 0 ? 100 : failed - 1));
      }
    }
  }
}

struct Table {
  Table(const Shape& shape, const std::string& schedule)
      : spec(make_spec("lcs", {}, shape, schedule)),
        rows(test::make_letters(Letters::random, true, spec.rows, 3)),
        columns(test::make_letters(Letters::random, false, spec.columns, 3)),
        memory(spec, rows, columns, {}),
        expected(letters_reference<Lcs>({1, 0}, rows, columns).score) {}

  std::uint64_t blocks() const { return static_cast<std::uint64_t>(memory.grid().count()); }

  SweepSpec spec;
  std::vector<std::uint8_t> rows, columns;
  test::TableMemory memory;
  std::int64_t expected;
};

TEST_CASE("a launch of tiles that is stopped finishes what it began, and a later one goes on to the same result") {
  const auto context = device::make_cpu_context(3);
  for (const std::string& schedule : tile_schedules()) {
    for (std::uint64_t stop_after : {0, 1, 2, 11}) {
      Table table({200, 300, 37, 41}, schedule);
      const auto sweep = make_cpu_sweep(table.spec, *context);
      std::uint64_t done = 0;
      int launches = 0;
      for (; done < table.blocks(); ++launches) {
        REQUIRE(launches < 60);
        test::Feeding how{3, 50, static_cast<unsigned>(launches), launches < 3 ? stop_after : ~0ull, ~0ull};
        const auto fed = test::feed(*sweep, table.memory, done, table.blocks() - done, how);
        REQUIRE(fed.failed == 0);
        if (launches < 3) REQUIRE(fed.done >= std::min(done + stop_after, table.blocks()));
        done = fed.done;
      }
      INFO(schedule);
      CHECK(launches > 1);
      CHECK(table.memory.results().back().score == table.expected);
    }
  }
}

TEST_CASE("an aborted launch of tiles ends soon, even while it waits for blocks that never come") {
  const auto context = device::make_cpu_context(3);
  for (const std::string& schedule : tile_schedules()) {
    Table table({400, 400, 20, 20}, schedule);
    const auto sweep = make_cpu_sweep(table.spec, *context);
    for (std::uint64_t abort_after : {0, 1, 7}) {
      test::Feeding how;
      how.abort_after = abort_after;
      how.longest_delay = 100;
      const auto before = std::chrono::steady_clock::now();
      const auto fed = test::feed(*sweep, table.memory, 0, table.blocks(), how);
      CHECK(fed.done < table.blocks());
      CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(20));
    }
  }
}

TEST_CASE("every split of a table into launches of tiles, and every ring, gives the same result") {
  for (int threads : {1, 2, 5}) {
    const auto context = device::make_cpu_context(threads);
    for (const std::string& schedule : tile_schedules()) {
      for (std::uint64_t part : {1, 3, 100}) {
        Table table({150, 170, 40, 50}, schedule);
        const auto sweep = make_cpu_sweep(table.spec, *context);
        test::Feeding how;
        how.ring = part == 3 ? 1 : 3;
        for (std::uint64_t first = 0; first < table.blocks(); first += part) {
          const std::uint64_t count = std::min<std::uint64_t>(part, table.blocks() - first);
          REQUIRE(test::feed(*sweep, table.memory, first, count, how).done == first + count);
        }
        CHECK(table.memory.results().back().score == table.expected);
      }
    }
  }
}

TEST_CASE("schedules of tiles refuse value types that the scores could overflow") {
  const auto context = device::make_cpu_context(1);
  for (const std::string& schedule : tile_schedules()) {
    SweepSpec spec = make_spec("lcs", {}, {32767, 32767, 100, 100}, schedule);
    spec.value = spec.border = ElementType::i16;
    CHECK_THROWS_WITH(make_cpu_sweep(spec, *context), Catch::Contains("may overflow"));
  }
}

}  // namespace
}  // namespace terrace::wavefront
