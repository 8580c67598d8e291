// Local alignments on CUDA without the parts that cannot reach the best cell: the same score and the same end.
#include <catch2/catch.hpp>

#include "kernels/wavefront/reference/reference.hpp"
#include "tests/differential/wavefront/pairs.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"

namespace terrace::wavefront {
namespace {

using test::Pair;

struct Cut {
  std::int64_t block_rows, block_columns;
};

template <class P>
SweepSpec pruned_spec(const Pair& pair, const Cut& cut, ElementType value) {
  SweepSpec spec;
  spec.problem = P::name;
  spec.settings = test::sample_settings<P>();
  spec.rows = static_cast<std::int64_t>(pair.rows.size());
  spec.columns = static_cast<std::int64_t>(pair.columns.size());
  spec.block_rows = cut.block_rows;
  spec.block_columns = cut.block_columns;
  spec.value = value;
  spec.border = spec.rows % 2 == 0 ? value : ElementType::i64;
  spec.schedule.work = Schedule::Work::needed;
  return spec;
}

/// Sweeps the table, compares its report with the reference's. @param ring blocks that are handed out at a time
/// @return cells that were left out
template <class P>
std::uint64_t check(device::Context& context, const SweepSpec& spec, const Pair& pair, const CudaTrial& trial,
                    std::uint64_t ring = 3) {
  const auto constants = problem_constants<P>(spec.settings);
  const auto expected = letters_reference<P>(constants, pair.rows, pair.columns);
  testing::CudaTable cuda(spec, context, {pair.rows, pair.columns, {}}, trial, ring);
  cuda.run();
  INFO(P::name << ", " << pair.what << ", " << spec.rows << " x " << spec.columns << " in blocks of "
               << spec.block_rows << " x " << spec.block_columns << ", " << name_of(spec.value) << ", thread blocks "
               << trial.thread_blocks << ", delays " << trial.delay_seed << ", rows of a lane " << trial.lane_rows);
  REQUIRE(cuda.done == cuda.blocks());
  test::check_report<P>(cuda.results, spec.settings, expected);
  CHECK(cuda.skipped <= static_cast<std::uint64_t>(spec.rows * spec.columns));
  return cuda.skipped;
}

template <class P>
std::int64_t best_score(const SweepSpec& spec, const Pair& pair) {
  return letters_reference<P>(problem_constants<P>(spec.settings), pair.rows, pair.columns).score;
}

/// Bands of 256 rows.
constexpr CudaTrial few_rows{.lane_rows = 8};
/// One block after another: the bound known at a block's begin then does not depend on the order of threads.
constexpr std::uint64_t in_order = 1;

/// The best cell is early, and nothing like it follows.
Pair early_best() {
  const test::Sequence part = test::random_letters(250, 1);
  return {"an early best", test::holding(part, {0}, 700, 20), test::holding(part, {0}, 900, 30)};
}

TEST_CASE("on CUDA pieces behind an early best cell are left out, in one block and in many") {
  const auto context = test::cuda_context();
  if (!context) return;
  const Pair pair = early_best();
  // Mismatches and gaps are dear: soon nothing is left of the best score, 500. Of bands of 256 rows the third has 188
  // rows left; the others have fewer than 250 columns left from column 651 on.
  const std::uint64_t third_band = 188 * 900, other_bands = 2 * 256 * 8 * 32;
  const Cut bands{256, 900};
  auto affine = pruned_spec<SmithWatermanAffine>(pair, bands, ElementType::i32);
  affine.settings.set("mismatch", -9.0);
  affine.settings.set("gap_open", 20.0);
  affine.settings.set("gap_extend", 5.0);
  CHECK(check<SmithWatermanAffine>(*context, affine, pair, few_rows, in_order) == third_band + other_bands);
  auto linear = pruned_spec<SmithWatermanLinear>(pair, bands, ElementType::i64);
  linear.settings.set("mismatch", -9.0);
  linear.settings.set("gap", 8.0);
  CHECK(check<SmithWatermanLinear>(*context, linear, pair, {}, in_order) >= third_band + 2 * 256 * 7 * 32);
  affine.block_columns = 300;
  CHECK(check<SmithWatermanAffine>(*context, affine, pair, few_rows, in_order) >= 188 * 600);
}

TEST_CASE("on CUDA a score that is known before leaves out pieces from the first band on") {
  const auto context = test::cuda_context();
  if (!context) return;
  // The best alignment begins in row 1030 and column 400: above it, no cell after column 400 can become as good.
  const test::Sequence part = test::random_letters(200, 1);
  const Pair pair{"a late best", test::holding(part, {1030}, 1230, 20), test::holding(part, {400}, 600, 30)};
  auto affine = pruned_spec<SmithWatermanAffine>(pair, {1230, 600}, ElementType::i32);
  for (const CudaTrial& trial : {CudaTrial{.pairs = true}, few_rows}) {
    affine.known = 0;
    const std::uint64_t before = check<SmithWatermanAffine>(*context, affine, pair, trial);
    affine.known = best_score<SmithWatermanAffine>(affine, pair);
    CHECK(check<SmithWatermanAffine>(*context, affine, pair, trial) > before + 1000 * 100);
  }
}

TEST_CASE("on CUDA nothing is left out where the schedule computes every cell or a table is kept") {
  const auto context = test::cuda_context();
  if (!context) return;
  const Pair pair = early_best();
  auto spec = pruned_spec<SmithWatermanAffine>(pair, {700, 900}, ElementType::i32);
  spec.schedule.work = Schedule::Work::all;
  CHECK(check<SmithWatermanAffine>(*context, spec, pair, few_rows) == 0);
  spec.schedule.work = Schedule::Work::needed;
  spec.table = ElementType::i32;
  CHECK(check<SmithWatermanAffine>(*context, spec, pair, few_rows) == 0);
}

TEST_CASE("on CUDA equally good cells behind the first of them do not keep it from being found") {
  const auto context = test::cuda_context();
  if (!context) return;
  const test::Sequence part = test::random_letters(200, 2);
  const Pair pairs[] = {
      {"in a row", test::holding(part, {40}, 300, 20), test::holding(part, {10, 400, 650}, 860, 30)},
      {"in a column", test::holding(part, {30, 250, 520}, 730, 20), test::holding(part, {70}, 400, 30)},
      {"everywhere", test::holding(part, {0, 270, 540}, 740, 20), test::holding(part, {0, 301, 540}, 740, 30)},
      {"all one letter", test::Sequence(600, 3), test::Sequence(500, 3)}};
  unsigned turn = 0;
  for (const Pair& pair : pairs) {
    const auto whole = pruned_spec<SmithWatermanAffine>(pair, {1000, 1000}, ElementType::i32);
    check<SmithWatermanAffine>(*context, whole, pair,
                               turn % 2 == 0 ? CudaTrial{.thread_blocks = 1, .lane_rows = 8} : few_rows);
    const auto cut = pruned_spec<SmithWatermanLinear>(pair, {290, 333}, ElementType::i32);
    check<SmithWatermanLinear>(*context, cut, pair, {.delay_seed = ++turn, .lane_rows = 8});
  }
}

TEST_CASE("on CUDA cells that are too large to be followed with their rows are found, ties among them") {
  const auto context = test::cuda_context();
  if (!context) return;
  const test::Sequence part = test::random_letters(250, 1);
  const Pair pair{"large scores", test::holding(part, {0, 300}, 700, 20), test::holding(part, {0, 400}, 900, 30)};
  auto spec = pruned_spec<SmithWatermanAffine>(pair, {1000, 1000}, ElementType::i32);
  spec.settings.set("match", 2e6);
  spec.settings.set("mismatch", -3e6);
  spec.settings.set("gap_open", 3e6);
  spec.settings.set("gap_extend", 2e6);
  for (const auto work : {Schedule::Work::all, Schedule::Work::needed}) {
    spec.schedule.work = work;
    for (const int lane_rows : {8, 32}) check<SmithWatermanAffine>(*context, spec, pair, {.lane_rows = lane_rows});
  }
}

TEST_CASE("on CUDA similar proteins are pruned by the largest score of their matrix") {
  const auto context = test::cuda_context();
  if (!context) return;
  Pair pair = early_best();
  for (auto* letters : {&pair.rows, &pair.columns}) {
    for (auto& letter : *letters) letter = letter < 4 ? letter : letter == 20 ? 10 : 11;
  }
  const auto spec = pruned_spec<SmithWatermanAffineMatrix>(pair, {700, 900}, ElementType::i32);
  check<SmithWatermanAffineMatrix>(*context, spec, pair, {});
}

TEST_CASE("on CUDA pruned local alignments have the score and the end of the whole table, in one block and in many") {
  const auto context = test::cuda_context();
  if (!context) return;
  const Cut cuts[] = {{4000, 4000}, {4000, 500}, {700, 4000}, {600, 650}};
  unsigned turn = 0;
  for (const Pair& pair : test::pruned_pairs()) {
    for (const Cut& cut : cuts) {
      auto affine = pruned_spec<SmithWatermanAffine>(pair, cut, ElementType::i32);
      auto linear = pruned_spec<SmithWatermanLinear>(pair, cut, turn % 2 == 0 ? ElementType::i32 : ElementType::i64);
      ++turn;
      if (!test::is_tried(*context, affine.rows * affine.columns)) continue;
      if (turn % 3 > 0) {
        affine.known = best_score<SmithWatermanAffine>(affine, pair) - (turn % 3 - 1);
        linear.known = best_score<SmithWatermanLinear>(linear, pair) - (turn % 3 - 1);
      }
      check<SmithWatermanAffine>(*context, affine, pair, test::trial_of(turn));
      if (turn % 2 == 0) check<SmithWatermanLinear>(*context, linear, pair, test::trial_of(turn + 1));
    }
  }
}

}  // namespace
}  // namespace terrace::wavefront
