// Walks back through boxes of a table on the CPU against the reference's path.
#include <array>
#include <catch2/catch.hpp>

#include "kernels/device/cpu_context.hpp"
#include "tests/differential/wavefront/samples.hpp"
#include "tests/differential/wavefront/trace_support.hpp"

namespace terrace::wavefront {
namespace {

using test::Letters;
using test::TraceCut;

constexpr std::int64_t sizes[] = {0, 1, 2, 31, 32, 33, 70, 150};
constexpr TraceCut cuts[] = {{1000, 1000, 1000, 1000}, {1000, 1000, 32, 32}, {64, 64, 16, 32, 2}, {64, 48, 64, 48},
                             {40, 1000, 7, 9, 3},      {1000, 24, 5, 24},    {1, 1, 1, 1},        {33, 31, 32, 30},
                             {96, 96, 1, 96, 4}};

template <class P>
void compare(P, const std::vector<std::uint8_t>& rows, const std::vector<std::uint8_t>& columns, const TraceCut& cut,
             const Settings& settings = test::sample_settings<P>()) {
  const auto k = problem_constants<P>(settings);
  ReferenceTrace<P> table(k, rows, columns);
  const ReferencePath expected = table.path();
  const auto tracer =
      make_cpu_tracer({P::name, settings, ElementType::i64, ElementType::i64, cut.cell_rows, cut.cell_columns});
  const ReferencePath path =
      test::walk_boxes<P>(table, expected, rows, columns, cut, std::pmr::get_default_resource(),
                          [&](const device::Port& port) { tracer->run(port); });
  INFO(P::name << " " << rows.size() << " x " << columns.size() << " in boxes of " << cut.box_rows << " x "
               << cut.box_columns << ", cells of " << cut.cell_rows << " x " << cut.cell_columns);
  CHECK(path.steps == expected.steps);
  CHECK(path.row_begin == expected.row_begin);
  CHECK(path.column_begin == expected.column_begin);
  CHECK(test::score_of<P>(k, path, rows, columns) == expected.score);
}

TEST_CASE("walks through boxes of every cut give the reference's path and its score") {
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P problem) {
    if constexpr (Traceable<P>) {
      for (std::int64_t height : sizes) {
        for (std::int64_t width : sizes) {
          for (const TraceCut& cut : cuts) {
            const auto kind = static_cast<Letters>(turn % 5 % 4);
            const auto rows = test::letters_for<P>(turn % 5 == 4 ? Letters::random : kind, true, height, 7 + turn);
            const auto columns =
                turn % 5 == 4 ? test::mutated(rows, width, turn) : test::letters_for<P>(kind, false, width, 7 + turn);
            compare(problem, rows, columns, cut);
            ++turn;
          }
        }
      }
    }
  });
}

TEST_CASE("paths by matrices of any scores, which differ with the sides of letters, are the reference's") {
  unsigned turn = 0;
  for (const auto& [codes, least, largest] : {std::array{27, -128, 127}, {3, -128, 127}, {20, -3, 9}, {27, 1, 127}}) {
    for (double gap : {0.0, 2.0, 90.0}) {
      Settings linear = test::with_matrix({}, codes, least, largest, ++turn), affine = linear;
      linear.set("gap", gap);
      affine.set("gap_open", gap);
      affine.set("gap_extend", 1.0);
      for (const TraceCut& cut : cuts) {
        const auto rows = test::letters_for<SmithWatermanLinearMatrix>(Letters::random, true, 130, ++turn, codes);
        const auto columns = test::letters_for<SmithWatermanLinearMatrix>(Letters::random, false, 110, turn, codes);
        compare(SmithWatermanLinearMatrix{}, rows, columns, cut, linear);
        compare(SmithWatermanAffineMatrix{}, rows, columns, cut, affine);
        for (const char* free : {"none", "rows", "columns", "both"}) {
          linear.set("free_ends", std::string(free));
          affine.set("free_ends", std::string(free));
          compare(NeedlemanWunschLinearMatrix{}, rows, columns, cut, linear);
          compare(NeedlemanWunschAffineMatrix{}, rows, columns, cut, affine);
        }
      }
    }
  }
}

/// Sweeps the box of the task that is in the port, over borders inside that nobody has written.
template <class P>
void sweep_box(const device::Port& port, device::Context& context) {
  TraceTask task;
  std::memcpy(&task, port.descriptors, sizeof task);
  const i64 height = task.row_end - task.row_begin, width = task.column_end - task.column_begin;
  const auto forget = [](const void* borders, i64 count) {
    std::fill_n(static_cast<i64*>(const_cast<void*>(borders)), count, i64{1} << 41);
  };
  forget(task.row_borders, (height - 1) / task.cell_rows * task.row_borders_stride);
  forget(task.column_borders, (width - 1) / task.cell_columns * task.column_borders_stride);
  SweepSpec spec;
  spec.problem = P::name;
  spec.settings = test::sample_settings<P>();
  spec.rows = height;
  spec.columns = width;
  spec.block_rows = task.cell_rows;
  spec.block_columns = task.cell_columns;
  spec.value = spec.border = ElementType::i64;
  device::u64 done = 0;
  device::Port sweep = port;
  sweep.done = &done;
  make_cpu_box_sweep(spec, context)->run(sweep);
  REQUIRE(done == 1);
}

TEST_CASE("walks between borders that a sweep of the box has kept give the reference's path") {
  const auto context = device::make_cpu_context(3);
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    if constexpr (Traceable<P>) {
      for (const TraceCut& cut : cuts) {
        const auto rows = test::make_letters(Letters::random, true, 120 + turn % 9, turn);
        const auto columns = test::mutated(rows, 110 + turn % 17, turn);
        const Settings settings = test::sample_settings<P>();
        ReferenceTrace<P> table(problem_constants<P>(settings), rows, columns);
        const ReferencePath expected = table.path();
        const auto tracer =
            make_cpu_tracer({P::name, settings, ElementType::i64, ElementType::i64, cut.cell_rows, cut.cell_columns});
        const ReferencePath path = test::walk_boxes<P>(
            table, expected, rows, columns, cut, std::pmr::get_default_resource(), [&](const device::Port& port) {
              sweep_box<P>(port, *context);
              tracer->run(port);
            });
        INFO(P::name << " in boxes of " << cut.box_rows << " x " << cut.box_columns << ", cells of " << cut.cell_rows
                     << " x " << cut.cell_columns);
        CHECK(path.steps == expected.steps);
        CHECK(path.row_begin == expected.row_begin);
        ++turn;
      }
    }
  });
}

TEST_CASE("ends that are free are no part of a path") {
  const auto whole = test::make_letters(Letters::random, true, 120, 9);
  const std::vector<std::uint8_t> part(whole.begin() + 40, whole.begin() + 100);
  const auto shifted = test::mutated(part, 90, 4);
  test::for_each_letters_problem([&]<class P>(P problem) {
    if constexpr (P::report == Report::ends) {
      for (const char* free : {"none", "rows", "columns", "both"}) {
        Settings settings = test::sample_settings<P>();
        settings.set("free_ends", std::string(free));
        for (const TraceCut& cut : cuts) {
          for (const auto& columns : {part, shifted, std::vector<std::uint8_t>{}}) {
            compare(problem, whole, columns, cut, settings);
            compare(problem, columns, whole, cut, settings);
          }
        }
      }
    }
  });
}

TEST_CASE("gaps that cross many boxes are one gap") {
  test::for_each_letters_problem([&]<class P>(P problem) {
    if constexpr (Traceable<P>) {
      const auto ends = test::make_letters(Letters::random, true, 400, 3);
      std::vector<std::uint8_t> shorter(ends.begin(), ends.begin() + 200);
      shorter.insert(shorter.end(), ends.begin() + 330, ends.end());
      for (const TraceCut& cut : cuts) {
        compare(problem, ends, shorter, cut);
        compare(problem, shorter, ends, cut);
      }
    }
  });
}

TEST_CASE("a path with more steps than a result holds is walked in several") {
  const auto rows = test::make_letters(Letters::random, true, 9000, 1);
  std::vector<std::uint8_t> few(rows.begin(), rows.begin() + 3);
  compare(Lcs{}, rows, few, {10000, 10000, 256, 256});
}

TEST_CASE("a tracer that is told to stop leaves its block alone") {
  const auto tracer = make_cpu_tracer({"lcs", {}, ElementType::i64, ElementType::i64, 8, 8});
  device::u64 ready = 0, stop = 1, abort = 0, done = 0, failed = 0, skipped = 0;
  TraceTask task{};
  TraceResult result{};
  tracer->run({&ready, &stop, &abort, &done, &failed, &skipped, &task, &result, 1, sizeof task, sizeof result, 0, 1});
  CHECK(done == 0);
}

}  // namespace
}  // namespace terrace::wavefront
