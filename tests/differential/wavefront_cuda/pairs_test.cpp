// Local alignments on CUDA in 16 bits, two cells to a word: the reference's score and end, for any base.
#include <catch2/catch.hpp>
#include <random>

#include "kernels/wavefront/reference/reference.hpp"
#include "kernels/wavefront/rules/pair_range.hpp"
#include "tests/differential/wavefront/pairs.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"

namespace terrace::wavefront {
namespace {

using test::Sequence;

/// Costs of letters up to the limit of 16 bits.
struct Costs {
  double match, mismatch, first, next;
};

constexpr Costs all_costs[] = {{17, -30, 30, 5}, {1, -3, 7, 2},    {20, -16, 90, 1},
                               {1, -1, 1, 1},    {25, -30, 34, 0}, {23, -60, 60, 1}};

template <class P>
Settings settings_of(const Costs& costs) {
  Settings settings;
  settings.set("match", costs.match);
  settings.set("mismatch", costs.mismatch);
  if (P::row_planes == 2) {
    settings.set("gap_open", costs.first - costs.next);
    settings.set("gap_extend", costs.next);
  } else {
    settings.set("gap", costs.next);
  }
  return settings;
}

/// Rows of a band of pairs.
constexpr std::int64_t band_rows = 1024;

template <class P>
std::uint64_t check(device::Context& context, const Settings& settings, const Sequence& rows, const Sequence& columns,
                    std::int64_t block_rows, std::int64_t block_columns, const CudaTrial& trial,
                    Schedule::Work work) {
  SweepSpec spec;
  spec.problem = P::name;
  spec.settings = settings;
  spec.rows = static_cast<std::int64_t>(rows.size());
  spec.columns = static_cast<std::int64_t>(columns.size());
  spec.block_rows = block_rows;
  spec.block_columns = block_columns;
  spec.value = spec.border = ElementType::i32;
  spec.schedule.work = work;
  const auto constants = problem_constants<P>(settings);
  REQUIRE(fits_pairs<P>(constants, band_rows));
  const auto expected = letters_reference<P>(constants, rows, columns);
  testing::CudaTable cuda(spec, context, {rows, columns, {}}, trial);
  cuda.run();
  INFO(P::name << ", match " << settings.number("match") << ", " << spec.rows << " x " << spec.columns
               << " in blocks of " << block_rows << " x " << block_columns << ", delays " << trial.delay_seed
               << ", work " << static_cast<int>(work));
  REQUIRE(cuda.done == cuda.blocks());
  test::check_report<P>(cuda.results, settings, expected);
  CHECK(cuda.skipped <= static_cast<std::uint64_t>(spec.rows * spec.columns));
  return cuda.skipped;
}

TEST_CASE("on CUDA cells of 16 bits follow scores that leave them, up and down again") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  for (const Costs& costs : all_costs) {
    for (const std::int64_t length : {700, 2600}) {
      // The dearest letters leave 16 bits in small tables, too.
      const bool small = length == 700 && costs.match > 20;
      if (!small && !test::is_tried(*context, length * length / 4)) continue;
      // Alike, then not at all, then alike again: scores rise, fall and rise.
      const Sequence alike = test::random_letters(length, ++turn);
      Sequence rows = alike, columns = test::mutated(alike, 40, turn);
      rows.insert(rows.end(), 400, 0);
      columns.insert(columns.end(), 300, 1);
      const Sequence more = test::mutated(alike, 100, turn + 1);
      rows.insert(rows.end(), alike.begin(), alike.end());
      columns.insert(columns.end(), more.begin(), more.end());
      columns[columns.size() / 3] = 9;
      rows[rows.size() / 2] = 9;
      const CudaTrial trial{.delay_seed = turn % 3 == 0 ? turn : 0, .pairs = true};
      for (const auto work : {Schedule::Work::all, Schedule::Work::needed}) {
        const std::int64_t block_rows = turn % 2 == 0 ? 10000 : 900, block_columns = turn / 2 % 2 == 0 ? 10000 : 777;
        check<SmithWatermanAffine>(*context, settings_of<SmithWatermanAffine>(costs), rows, columns, block_rows,
                                   block_columns, trial, work);
        const auto linear = settings_of<SmithWatermanLinear>(costs);
        if (fits_pairs<SmithWatermanLinear>(problem_constants<SmithWatermanLinear>(linear), band_rows)) {
          check<SmithWatermanLinear>(*context, linear, rows, columns, block_columns, block_rows, trial, work);
        }
      }
    }
  }
}

TEST_CASE("on CUDA cells of 16 bits give the best cell of small tables, with any letters") {
  const auto context = test::cuda_context();
  if (!context) return;
  std::mt19937 random(5);
  const auto number = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(most));
  };
  for (unsigned turn = 0; turn < 600; ++turn) {
    const std::int64_t rows = 1 + number(turn % 4 == 0 ? 900 : 150), columns = 1 + number(turn % 3 == 0 ? 700 : 90);
    if (!test::is_tried(*context, rows * columns)) continue;
    const auto kind = static_cast<test::Letters>(turn % 4);
    auto left = test::make_letters(kind, true, rows, turn), above = test::make_letters(kind, false, columns, turn);
    if (turn % 3 == 2) above[static_cast<std::size_t>(number(columns))] = 50;  // equals no letter of the rows
    const CudaTrial trial{
        .thread_blocks = turn % 5 == 0 ? 1u : 0u, .delay_seed = turn % 7 == 0 ? turn + 1 : 0, .pairs = true};
    const auto work = turn % 6 < 3 ? Schedule::Work::all : Schedule::Work::needed;
    const std::int64_t block_rows = turn % 8 == 1 ? 1 + number(rows) : 1000;
    const std::int64_t block_columns = turn % 8 == 2 ? 1 + number(columns) : 1000;
    const Costs& costs = all_costs[turn % 4];
    check<SmithWatermanAffine>(*context, settings_of<SmithWatermanAffine>(costs), left, above, block_rows,
                               block_columns, trial, work);
    check<SmithWatermanLinear>(*context, settings_of<SmithWatermanLinear>(costs), left, above, block_rows,
                               block_columns, trial, work);
  }
}

TEST_CASE("on CUDA cells of 16 bits may cost nothing, and letters score alike or the wrong way round") {
  const auto context = test::cuda_context();
  if (!context) return;
  const Costs odd_costs[] = {{1, 1, 3, 1}, {-1, -1, 1, 1}, {-2, 3, 2, 1}, {0, 0, 0, 0}, {3, 2, 1, 0}, {4, -9, 0, 0}};
  unsigned turn = 0;
  for (const Costs& costs : odd_costs) {
    for (int kind = 0; kind < 2; ++kind) {
      const auto letters = static_cast<test::Letters>(turn % 4);
      const auto rows = test::make_letters(letters, true, 290, turn),
                 columns = test::make_letters(letters, false, 140, turn);
      const auto work = turn++ % 2 == 0 ? Schedule::Work::all : Schedule::Work::needed;
      check<SmithWatermanAffine>(*context, settings_of<SmithWatermanAffine>(costs), rows, columns, 1000, 1000,
                                 {.pairs = true}, work);
      check<SmithWatermanLinear>(*context, settings_of<SmithWatermanLinear>(costs), rows, columns, 270, 90,
                                 {.pairs = true}, work);
    }
  }
}

TEST_CASE("on CUDA pieces of cells of 16 bits that cannot matter are left out") {
  const auto context = test::cuda_context();
  if (!context) return;
  const Sequence part = test::random_letters(250, 1);
  const Sequence rows = test::holding(part, {0}, 700, 20), columns = test::holding(part, {0}, 900, 30);
  const auto settings = settings_of<SmithWatermanAffine>({2, -9, 25, 5});
  const CudaTrial trial{.pairs = true};
  CHECK(check<SmithWatermanAffine>(*context, settings, rows, columns, 256, 900, trial, Schedule::Work::needed) > 0);
  CHECK(check<SmithWatermanAffine>(*context, settings, rows, columns, 256, 900, trial, Schedule::Work::all) == 0);
}

TEST_CASE("scores that 16 bits may not hold are not kept in them") {
  const auto fits = [](double match, double mismatch, double first, double next, int rows) {
    const auto settings = settings_of<SmithWatermanAffine>({match, mismatch, first, next});
    return fits_pairs<SmithWatermanAffine>(problem_constants<SmithWatermanAffine>(settings), rows);
  };
  CHECK(fits(1, -3, 7, 2, 1024));
  CHECK(fits(17, -30, 30, 5, 1024));
  CHECK_FALSE(fits(40, -30, 34, 4, 1024));  // rows are too many
  CHECK(fits(40, -30, 34, 4, 256));
  CHECK(fits(17, -3, 110, 2, 1024));
  CHECK_FALSE(fits(20, -3, 110, 2, 1024));  // the score of a match, with the cost of a gap, is no byte
  CHECK_FALSE(fits(10, -140, 5, 2, 1024));  // nor is the score of a mismatch
  CHECK_FALSE(fits(1, -3, 200, 2, 1024));
}

}  // namespace
}  // namespace terrace::wavefront
