// Time warping on the CPU against the reference, to the bit, with and without windows.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>

#include "kernels/device/cpu_features.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "tests/differential/wavefront/feeder.hpp"
#include "tests/differential/wavefront/values.hpp"

namespace terrace::wavefront {
namespace {

using device::InstructionSet;
using test::Series;

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
  for (auto set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set <= device::best_instruction_set()) sets.push_back(set);
  }
  return sets;
}

/// Sweeps and compares every bit with the reference.
template <class V>
void compare(device::Context& context, const SweepSpec& spec, Series kind, InstructionSet set,
             const test::Feeding& how = {}) {
  const auto rows = test::make_series<V>(kind, spec.rows, 3);
  const auto columns = test::make_series<V>(kind, spec.columns, 4);
  const auto expected = test::warping_reference<V>(spec, rows, columns);
  test::TableMemory memory(spec, test::bytes_of(rows), test::bytes_of(columns), {});
  const auto sweep = make_cpu_sweep(spec, context, set);
  const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
  const test::Fed fed = test::feed(*sweep, memory, 0, blocks, how);

  INFO(test::shown(spec) << ", " << device::name_of(set) << ", series " << static_cast<int>(kind));
  REQUIRE(fed.done == blocks);
  REQUIRE(fed.failed == 0);
  const BlockResult result = test::folded(memory.results());
  if (spec.rows * spec.columns == 0) {
    CHECK(result.row == 0);  // no cell counts
  } else {
    CHECK(result.score == reported(expected.score));
    CHECK(result.row == expected.row);
    CHECK(result.column == expected.column);
  }
  if (!spec.table) return;
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < spec.rows; ++i) {
    for (std::int64_t j = 0; j < spec.columns; ++j) {
      wrong += reported(memory.cell<V>(i, j)) != reported(expected.at(i, j));
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("time warping equals the reference to the bit at sizes around vectors and blocks") {
  const auto context = device::make_cpu_context(3);
  constexpr std::int64_t cuts[] = {1000, 64, 33, 7, 100};
  unsigned turn = 0;
  for (const Settings& settings : test::warpings()) {
    for (std::int64_t rows : {0, 1, 2, 31, 33, 64, 65, 200}) {
      for (std::int64_t columns : {0, 1, 2, 31, 33, 64, 65, 200}) {
        for (InstructionSet set : instruction_sets()) {
          const std::int64_t block_rows = cuts[turn % 5], block_columns = cuts[turn / 5 % 5];
          const auto kind = static_cast<Series>(turn % 3);
          const bool table = turn / 2 % 2 == 0;
          compare<float>(*context,
                         test::warping_spec<float>(settings, rows, columns, block_rows, block_columns, table), kind,
                         set);
          compare<double>(*context,
                          test::warping_spec<double>(settings, rows, columns, block_rows, block_columns, !table),
                          kind, set);
          ++turn;
        }
      }
    }
  }
}

TEST_CASE("time warping with free columns finds the least cost of any part of them, to the bit") {
  const auto context = device::make_cpu_context(3);
  constexpr std::int64_t cuts[] = {1000, 64, 33, 7, 100};
  unsigned turn = 0;
  for (const Settings& settings : test::warpings("columns")) {
    for (std::int64_t rows : {1, 2, 31, 33, 64, 65, 200, 450}) {
      for (std::int64_t columns : {1, 2, 33, 64, 65, 200, 900}) {
        for (InstructionSet set : instruction_sets()) {
          const std::int64_t block_rows = cuts[turn % 5], block_columns = cuts[turn / 5 % 5];
          const auto kind = static_cast<Series>(turn % 3);
          const bool table = turn / 2 % 2 == 0;
          const test::Feeding how{3, turn % 5 == 0 ? 100 : 0, turn, ~0ull, ~0ull};
          compare<float>(*context,
                         test::warping_spec<float>(settings, rows, columns, block_rows, block_columns, table), kind,
                         set, how);
          compare<double>(*context,
                          test::warping_spec<double>(settings, rows, columns, block_rows, block_columns, !table),
                          kind, set, how);
          ++turn;
        }
      }
    }
  }
}

TEST_CASE("a part of a series is found in it at no cost, at its first place") {
  const auto context = device::make_cpu_context(2);
  const auto columns = test::make_series<double>(Series::random, 900, 9);
  for (const Settings& settings : test::warpings("columns")) {
    for (const std::int64_t begin : {0, 1, 400, 700}) {
      const std::vector<double> rows(columns.begin() + begin, columns.begin() + begin + 200);
      const SweepSpec spec = test::warping_spec<double>(settings, 200, 900, 200, 300, false);
      test::TableMemory memory(spec, test::bytes_of(rows), test::bytes_of(columns), {});
      REQUIRE(test::feed(*make_cpu_sweep(spec, *context), memory, 0, 3).done == 3);
      const BlockResult found = test::folded(memory.results());
      CHECK(reported_cost(found.score) == 0);
      CHECK(found.row == 200);
      CHECK(found.column == begin + 200);
    }
  }
}

TEST_CASE("time warping over several bands, chunks and blocks is exact, flat and tall, whatever the delays") {
  const auto context = device::make_cpu_context(3);
  struct Shape {
    std::int64_t rows, columns, block_rows, block_columns;
  };
  for (const Settings& settings : test::warpings()) {
    for (InstructionSet set : instruction_sets()) {
      for (const Shape& s : {Shape{1500, 1100, 1500, 1100}, Shape{1500, 1100, 500, 300}, Shape{777, 1777, 777, 200},
                             Shape{1, 5000, 1, 61}, Shape{5000, 1, 333, 1}, Shape{3, 5000, 2, 4999}}) {
        const test::Feeding how{3, 100, static_cast<unsigned>(s.block_rows), ~0ull, ~0ull};
        for (bool table : {false, true}) {
          compare<float>(*context,
                         test::warping_spec<float>(settings, s.rows, s.columns, s.block_rows, s.block_columns, table),
                         Series::random, set, how);
          compare<double>(
              *context, test::warping_spec<double>(settings, s.rows, s.columns, s.block_rows, s.block_columns, table),
              Series::coarse, set, how);
        }
      }
    }
  }
}

TEST_CASE("time warping in a window equals the reference to the bit, in one block and in many") {
  const auto context = device::make_cpu_context(3);
  struct Shape {
    std::int64_t rows, columns, block_rows, block_columns;
  };
  unsigned turn = 0;
  for (const Settings& settings : test::warpings()) {
    for (std::int64_t window : {0, 1, 7, 32, 33, 100, 400, 5000}) {
      for (const Shape& s : {Shape{1, 1, 1, 1}, Shape{33, 33, 100, 100}, Shape{200, 200, 50, 33},
                             Shape{90, 120, 7, 1000}, Shape{500, 480, 1000, 64}, Shape{900, 900, 300, 400},
                             Shape{1300, 1000, 1300, 1000}, Shape{1000, 1300, 77, 200}}) {
        if (std::abs(s.rows - s.columns) > window) continue;
        for (InstructionSet set : instruction_sets()) {
          const Settings own = test::with_window(settings, window);
          const bool table = ++turn % 2 == 0;
          const auto kind = static_cast<Series>(turn / 2 % 3);
          const test::Feeding how{3, turn % 5 == 0 ? 100 : 0, turn, ~0ull, ~0ull};
          compare<float>(*context,
                         test::warping_spec<float>(own, s.rows, s.columns, s.block_rows, s.block_columns, table),
                         kind, set, how);
          compare<double>(*context,
                          test::warping_spec<double>(own, s.rows, s.columns, s.block_rows, s.block_columns, !table),
                          kind, set, how);
        }
      }
    }
  }
}

/// The score of a sweep in one block.
double distance(device::Context& context, const Settings& settings, const std::vector<double>& rows,
                const std::vector<double>& columns) {
  const auto count = [](const std::vector<double>& series) { return static_cast<std::int64_t>(series.size()); };
  const SweepSpec spec = test::warping_spec<double>(settings, count(rows), count(columns), 100000, 100000, false);
  test::TableMemory memory(spec, test::bytes_of(rows), test::bytes_of(columns), {});
  REQUIRE(test::feed(*make_cpu_sweep(spec, context), memory, 0, 1).done == 1);
  return reported_cost(memory.result(0).score);
}

TEST_CASE("a series is at distance 0 from itself and from itself slowed down, and distances are symmetric") {
  const auto context = device::make_cpu_context(2);
  for (const Settings& settings : test::warpings()) {
    const auto a = test::make_series<double>(Series::random, 700, 8),
               b = test::make_series<double>(Series::random, 450, 9);
    std::vector<double> slow;
    for (double value : a) slow.insert(slow.end(), 3, value);
    CHECK(distance(*context, settings, a, a) == 0);
    CHECK(distance(*context, settings, a, slow) == 0);
    CHECK(distance(*context, settings, a, b) > 0);
    CHECK(distance(*context, settings, a, b) == distance(*context, settings, b, a));
  }
}

TEST_CASE("a window as wide as the series is none, and a narrower one costs no less") {
  const auto context = device::make_cpu_context(2);
  const auto a = test::make_series<double>(Series::random, 600, 8),
             b = test::make_series<double>(Series::random, 600, 9);
  for (const Settings& settings : test::warpings()) {
    const double least = distance(*context, settings, a, b);
    CHECK(distance(*context, test::with_window(settings, 599), a, b) == least);
    double before = least;
    for (std::int64_t window : {200, 50, 10, 1, 0}) {
      const double found = distance(*context, test::with_window(settings, window), a, b);
      CHECK(found >= before);
      before = found;
    }
    CHECK(before > least);
  }
}

TEST_CASE("types that cannot hold the values of time warping are refused by name") {
  const auto context = device::make_cpu_context(1);
  const auto refused = [&](ElementType value, ElementType border, ElementType table, const char* what) {
    SweepSpec spec = test::warping_spec<double>(test::warping("absolute", "symmetric1"), 4, 4, 4, 4, true);
    spec.value = value;
    spec.border = border;
    spec.table = table;
    CHECK_THROWS_WITH(make_cpu_sweep(spec, *context), Catch::Contains(what));
  };
  using enum ElementType;
  refused(i32, i32, i32, "computed in f32 or f64, not in i32");
  refused(f64, f32, f64, "borders of type f32 cannot hold values of type f64");
  refused(f32, i64, f32, "borders of type i64");
  refused(f64, f64, f32, "a table of type f32");
  refused(f32, f32, i32, "a table of type i32");
}

}  // namespace
}  // namespace terrace::wavefront
