// Launches on the CPU: stop, abort, a table in several launches, a ring of one entry.
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/wavefront/reference/reference.hpp"
#include "tests/differential/wavefront/feeder.hpp"
#include "tests/differential/wavefront/samples.hpp"

namespace terrace::wavefront {
namespace {

SweepSpec lcs_spec(std::int64_t rows, std::int64_t columns, std::int64_t block_rows, std::int64_t block_columns) {
  SweepSpec spec;
  spec.problem = "lcs";
  spec.rows = rows;
  spec.columns = columns;
  spec.block_rows = block_rows;
  spec.block_columns = block_columns;
  spec.value = ElementType::i16;
  spec.border = ElementType::i32;
  return spec;
}

struct Table {
  explicit Table(const SweepSpec& table_spec)
      : spec(table_spec),
        rows(test::make_letters(test::Letters::random, true, spec.rows, 3)),
        columns(test::make_letters(test::Letters::random, false, spec.columns, 3)),
        memory(spec, rows, columns, {}),
        expected(letters_reference<Lcs>({1, 0}, rows, columns).score) {}

  std::uint64_t blocks() const { return static_cast<std::uint64_t>(memory.grid().count()); }

  SweepSpec spec;
  std::vector<std::uint8_t> rows, columns;
  test::TableMemory memory;
  std::int64_t expected;
};

TEST_CASE("a launch that is stopped finishes what it began, and a later launch goes on to the same result") {
  const auto context = device::make_cpu_context(3);
  for (std::uint64_t stop_after : {0, 1, 2, 5, 11}) {
    Table table(lcs_spec(200, 300, 37, 41));
    const auto sweep = make_cpu_sweep(table.spec, *context);
    std::uint64_t done = 0;
    int launches = 0;
    for (; done < table.blocks(); ++launches) {
      test::Feeding how{3, 50, static_cast<unsigned>(launches), launches < 3 ? stop_after : ~0ull, ~0ull};
      const auto fed = test::feed(*sweep, table.memory, done, table.blocks() - done, how);
      REQUIRE(fed.failed == 0);
      if (launches < 3) REQUIRE(fed.done >= std::min(done + stop_after, table.blocks()));
      done = fed.done;
    }
    CHECK(launches > 1);
    CHECK(table.memory.results().back().score == table.expected);
  }
}

TEST_CASE("an aborted launch ends soon, even while it waits for blocks that never come") {
  const auto context = device::make_cpu_context(3);
  Table table(lcs_spec(400, 400, 20, 20));
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

TEST_CASE("every split of a table into launches gives the same result") {
  const auto context = device::make_cpu_context(2);
  for (std::uint64_t part : {1, 2, 3, 8, 100}) {
    Table table(lcs_spec(150, 170, 40, 50));
    const auto sweep = make_cpu_sweep(table.spec, *context);
    for (std::uint64_t first = 0; first < table.blocks(); first += part) {
      const std::uint64_t count = std::min<std::uint64_t>(part, table.blocks() - first);
      REQUIRE(test::feed(*sweep, table.memory, first, count).done == first + count);
    }
    CHECK(table.memory.results().back().score == table.expected);
  }
}

TEST_CASE("a ring of one block is enough") {
  const auto context = device::make_cpu_context(2);
  Table table(lcs_spec(150, 170, 40, 50));
  const auto sweep = make_cpu_sweep(table.spec, *context);
  test::Feeding how;
  how.ring = 1;
  REQUIRE(test::feed(*sweep, table.memory, 0, table.blocks(), how).done == table.blocks());
  CHECK(table.memory.results().back().score == table.expected);
}

TEST_CASE("an unknown problem, a table of impossible extents and a sweep of no blocks are told apart") {
  const auto context = device::make_cpu_context(1);
  auto spec = lcs_spec(10, 10, 5, 5);
  spec.problem = "no_such_problem";
  CHECK_THROWS_WITH(make_cpu_sweep(spec, *context), Catch::Contains("no_such_problem"));
  CHECK_THROWS_WITH(make_cpu_sweep(lcs_spec(-1, 10, 5, 5), *context), Catch::Contains("-1 x 10"));
  CHECK_THROWS_WITH(make_cpu_sweep(lcs_spec(10, 10, 5, 0), *context), Catch::Contains("blocks of 5 x 0"));
  Table table(lcs_spec(10, 10, 5, 5));
  const auto sweep = make_cpu_sweep(table.spec, *context);
  CHECK(test::feed(*sweep, table.memory, 0, 0).done == 0);
}

}  // namespace
}  // namespace terrace::wavefront
