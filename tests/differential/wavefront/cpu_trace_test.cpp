#include <catch2/catch.hpp>

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
            const auto rows = test::make_letters(turn % 5 == 4 ? Letters::random : kind, true, height, 7 + turn);
            const auto columns =
                turn % 5 == 4 ? test::mutated(rows, width, turn) : test::make_letters(kind, false, width, 7 + turn);
            compare(problem, rows, columns, cut);
            ++turn;
          }
        }
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
