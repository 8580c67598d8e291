// Kept rows and columns of sweeps on the CPU against the reference's table.
#include <catch2/catch.hpp>
#include <memory>

#include "kernels/wavefront/cpu/sweep.hpp"
#include "kernels/wavefront/reference/path.hpp"
#include "kernels/wavefront/report.hpp"
#include "tests/differential/wavefront/feeder.hpp"
#include "tests/differential/wavefront/samples.hpp"
#include "tests/differential/wavefront/values.hpp"

namespace terrace::wavefront {
namespace {

struct Shape {
  std::int64_t rows, columns, block_rows, block_columns, every;
};

// Blocks of many parts, of one, and several between two kept lines.
constexpr Shape shapes[] = {{1, 1, 1, 1, 1},          {1, 200, 1, 33, 11},      {200, 1, 64, 1, 1},
                            {70, 65, 1000, 1000, 9},  {70, 65, 1000, 1000, 70}, {70, 65, 7, 5, 35},
                            {150, 170, 64, 64, 16},   {150, 170, 64, 64, 64},   {150, 170, 33, 170, 99},
                            {300, 40, 100, 40, 1000}, {257, 300, 256, 256, 32}, {257, 300, 257, 300, 256}};
constexpr const char* schedules[] = {"registers", "peer_square", "hyperplane_barrier"};

/// Sweeps a table in blocks that keep lines, however long descriptors take.
void sweep(device::Context& context, const SweepSpec& spec, test::TableMemory& memory) {
  const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
  const test::Feeding how{2, spec.rows % 2 == 0 ? 50 : 0};
  const test::Fed fed = test::feed_tasks(*make_cpu_sweep(spec, context), memory, 0, blocks, how,
                                         [&](std::uint64_t block) { return memory.kept_task(block); });
  REQUIRE(fed.done == blocks);
  REQUIRE(fed.failed == 0);
}

/// Calls at(number, line, index) for every cell of the kept lines of a side, and counts where it is false.
template <class At>
std::int64_t count_wrong(const SweepSpec& spec, std::int64_t across, std::int64_t along, At&& at) {
  std::int64_t wrong = 0;
  for (std::int64_t n = 0; n * spec.kept->every < across; ++n) {
    const std::int64_t line = std::min(across, (n + 1) * spec.kept->every) - 1;
    for (std::int64_t index = 0; index < along; ++index) wrong += at(n, line, index) ? 0 : 1;
  }
  return wrong;
}

/// The result of a sweep for the whole table.
template <class P>
BlockResult total(const test::TableMemory& memory, const SweepSpec& spec) {
  BlockResult total = border_report<P>(problem_constants<P>(spec.settings), spec.rows, spec.columns);
  const auto& results = memory.results();
  for (const BlockResult& result : results) add_report<P>(result, &result == &results.back(), total);
  return total;
}

template <class P>
void compare(device::Context& context, SweepSpec spec) {
  const auto rows = test::letters_for<P>(test::Letters::random, true, spec.rows, 5);
  const auto columns = test::letters_for<P>(test::Letters::random, false, spec.columns, 6);
  ReferenceTrace<P> expected(problem_constants<P>(spec.settings), rows, columns);
  test::TableMemory memory(spec, rows, columns, {});
  sweep(context, spec, memory);
  INFO(P::name << " " << spec.rows << " x " << spec.columns << " in blocks of " << spec.block_rows << " x "
               << spec.block_columns << ", " << name_of(spec.value) << ", every " << spec.kept->every << " as "
               << name_of(spec.kept->type) << ", " << name_of(spec.schedule));
  const ReferencePath path = expected.path();
  const BlockResult found = total<P>(memory, spec);
  CHECK(found.score == path.score);
  CHECK(found.row == path.row_end);
  CHECK(found.column == path.column_end);
  const double scale = static_cast<double>(score_scale(P::name, spec.settings));
  dispatch(spec.kept->type, [&](auto sample) {
    using Kept = decltype(sample);
    const auto same = [&](Kept kept, i64 value) {
      return kept == (std::is_floating_point_v<Kept> ? static_cast<Kept>(static_cast<double>(value) / scale)
                                                     : static_cast<Kept>(value));
    };
    CHECK(count_wrong(spec, spec.rows, spec.columns, [&](i64 n, i64 row, i64 column) {
            const bool gap_is_read = P::row_planes > 1 && row + 1 < spec.rows;
            return same(memory.kept_row<Kept>(n, column), expected.h(row, column)) &&
                   (!gap_is_read || same(memory.kept_row<Kept>(n, column, 1), expected.f(row + 1, column)));
          }) == 0);
    CHECK(count_wrong(spec, spec.columns, spec.rows, [&](i64 n, i64 column, i64 row) {
            const bool gap_is_read = P::column_planes > 1 && column + 1 < spec.columns;
            return same(memory.kept_column<Kept>(n, row), expected.h(row, column)) &&
                   (!gap_is_read || same(memory.kept_column<Kept>(n, row, 1), expected.e(row, column + 1)));
          }) == 0);
  });
}

TEST_CASE("kept rows and columns of every problem on letters are the reference's, and so are the gaps behind them") {
  const auto context = device::make_cpu_context(3);
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    for (const Shape& shape : shapes) {
      for (ElementType kept : {ElementType::i32, ElementType::i64, ElementType::f64}) {
        SweepSpec spec;
        spec.problem = P::name;
        spec.settings = test::sample_settings<P>();
        spec.rows = shape.rows;
        spec.columns = shape.columns;
        spec.block_rows = shape.block_rows;
        spec.block_columns = shape.block_columns;
        spec.value = turn % 2 == 0 ? ElementType::i16 : ElementType::i32;
        spec.border = ElementType::i32;
        spec.kept = {shape.every, kept};
        spec.schedule = *schedule_from(schedules[turn++ % 3]);
        compare<P>(*context, spec);
      }
    }
  });
}

template <class V>
void compare_series(device::Context& context, SweepSpec spec) {
  const auto rows = test::make_series<V>(test::Series::random, spec.rows, 3);
  const auto columns = test::make_series<V>(test::Series::random, spec.columns, 4);
  spec.kept->type = spec.value;
  const auto expected = test::warping_reference<V>(spec, rows, columns);
  test::TableMemory memory(spec, test::bytes_of(rows), test::bytes_of(columns), {});
  sweep(context, spec, memory);
  INFO(test::shown(spec) << ", " << name_of(spec.schedule));
  CHECK(count_wrong(spec, spec.rows, spec.columns, [&](i64 n, i64 row, i64 column) {
          return reported(memory.kept_row<V>(n, column)) == reported(expected.at(row, column));
        }) == 0);
  CHECK(count_wrong(spec, spec.columns, spec.rows, [&](i64 n, i64 column, i64 row) {
          return reported(memory.kept_column<V>(n, row)) == reported(expected.at(row, column));
        }) == 0);
}

TEST_CASE("kept rows and columns of time warping are the reference's to the bit, and infinite beyond the window") {
  const auto context = device::make_cpu_context(3);
  unsigned turn = 0;
  for (const Settings& settings : test::warpings()) {
    for (const Shape& shape : shapes) {
      for (std::int64_t window : {7, 200, 100000}) {
        if (std::abs(shape.rows - shape.columns) > window) continue;
        const Settings own = test::with_window(settings, window);
        SweepSpec narrow =
            test::warping_spec<float>(own, shape.rows, shape.columns, shape.block_rows, shape.block_columns, false);
        SweepSpec wide =
            test::warping_spec<double>(own, shape.rows, shape.columns, shape.block_rows, shape.block_columns, false);
        narrow.kept = wide.kept = {shape.every, ElementType::f64};
        narrow.schedule = wide.schedule = *schedule_from(schedules[turn++ % 3]);
        compare_series<float>(*context, narrow);
        compare_series<double>(*context, wide);
      }
    }
  }
}

TEST_CASE("kept rows of a type that cannot hold the borders are refused by name") {
  const auto context = device::make_cpu_context(1);
  SweepSpec spec = test::warping_spec<double>(test::warping("absolute", "symmetric1"), 4, 4, 4, 4, false);
  for (ElementType kept : {ElementType::f32, ElementType::i64}) {
    spec.kept = {2, kept};
    CHECK_THROWS_WITH(make_cpu_sweep(spec, *context),
                      Catch::Contains("kept rows of type " + std::string(name_of(kept))));
  }
}

}  // namespace
}  // namespace terrace::wavefront
