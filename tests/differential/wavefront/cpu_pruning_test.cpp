// Local alignments with and without the parts that cannot reach the best cell: the same score and the same end.
#include <catch2/catch.hpp>
#include <memory>

#include "kernels/device/cpu_features.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "kernels/wavefront/pruning.hpp"
#include "kernels/wavefront/reference/reference.hpp"
#include "kernels/wavefront/report.hpp"
#include "tests/differential/wavefront/feeder.hpp"
#include "tests/differential/wavefront/pairs.hpp"

namespace terrace::wavefront {
namespace {

using device::InstructionSet;
using test::Pair;

struct Cut {
  std::int64_t block_rows, block_columns;
};

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
  for (auto set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set <= device::best_instruction_set()) sets.push_back(set);
  }
  return sets;
}

/// The result of the sweep, and the number of cells that it left out.
template <class P>
BlockResult swept(const SweepSpec& spec, const Pair& pair, device::Context& context, InstructionSet set,
                  std::uint64_t* skipped = nullptr) {
  test::TableMemory memory(spec, pair.rows, pair.columns, {});
  const auto sweep = make_cpu_sweep(spec, context, set);
  const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
  const test::Fed fed = test::feed(*sweep, memory, 0, blocks);
  REQUIRE(fed.done == blocks);
  if (skipped != nullptr) *skipped = fed.skipped;
  BlockResult total = border_report<P>(problem_constants<P>(spec.settings), spec.rows, spec.columns);
  for (const BlockResult& result : memory.results()) {
    add_report<P>(result, &result == &memory.results().back(), total);
  }
  return total;
}

template <class P>
void check_pruned(const Pair& pair, const Cut& cut, ElementType value, int threads) {
  const auto context = device::make_cpu_context(threads);
  SweepSpec spec;
  spec.problem = P::name;
  spec.settings = test::sample_settings<P>();
  spec.rows = static_cast<std::int64_t>(pair.rows.size());
  spec.columns = static_cast<std::int64_t>(pair.columns.size());
  spec.block_rows = cut.block_rows;
  spec.block_columns = cut.block_columns;
  spec.value = value;
  spec.border = ElementType::i32;
  spec.schedule.work = Schedule::Work::needed;
  const auto expected = letters_reference<P>(problem_constants<P>(spec.settings), pair.rows, pair.columns);
  for (const std::int64_t known : {std::int64_t{0}, std::int64_t{expected.score}}) {
    spec.known = known;
    for (const InstructionSet set : instruction_sets()) {
      const BlockResult found = swept<P>(spec, pair, *context, set);
      INFO(P::name << ", " << pair.what << ", blocks of " << cut.block_rows << " x " << cut.block_columns << ", "
                   << name_of(value) << ", " << device::name_of(set) << ", " << threads << " threads, known "
                   << known);
      CHECK(found.score == expected.score);
      CHECK(found.row == expected.row);
      CHECK(found.column == expected.column);
    }
  }
}

TEST_CASE("pruned local alignments have the score and the end of the whole table, in one block and in many") {
  const Cut cuts[] = {{4000, 4000}, {4000, 500}, {700, 4000}, {600, 650}};
  unsigned turn = 0;
  for (const Pair& pair : test::pruned_pairs()) {
    for (const Cut& cut : cuts) {
      const int threads = 1 + static_cast<int>(turn % 3);
      check_pruned<SmithWatermanAffine>(pair, cut, ElementType::i16, threads);
      if (turn++ % 2 == 0) check_pruned<SmithWatermanLinear>(pair, cut, ElementType::i32, threads);
    }
  }
}

/// One block, in which mismatches and gaps have a high cost.
SweepSpec dear_spec(const Pair& pair) {
  SweepSpec spec;
  spec.problem = SmithWatermanAffine::name;
  spec.settings = test::sample_settings<SmithWatermanAffine>();
  spec.settings.set("mismatch", -9.0);
  spec.settings.set("gap_open", 20.0);
  spec.rows = spec.block_rows = static_cast<std::int64_t>(pair.rows.size());
  spec.columns = spec.block_columns = static_cast<std::int64_t>(pair.columns.size());
  spec.value = ElementType::i16;
  spec.border = ElementType::i32;
  spec.schedule.work = Schedule::Work::needed;
  return spec;
}

TEST_CASE("cells that are left out are counted") {
  const auto context = device::make_cpu_context(1);
  const test::Sequence part = test::random_letters(900, 1);
  const Pair pair{"an early best", test::holding(part, {0}, 2000, 20), test::holding(part, {0}, 3000, 30)};
  SweepSpec spec = dear_spec(pair);
  for (const std::int64_t block_columns : {3000, 700}) {
    spec.block_columns = block_columns;
    for (const InstructionSet set : instruction_sets()) {
      std::uint64_t skipped = 0;
      spec.schedule.work = Schedule::Work::needed;
      swept<SmithWatermanAffine>(spec, pair, *context, set, &skipped);
      // Bands have at most 64 x 24 rows: the last 464 hold too few pairs, and are left out but for a band's edges.
      CHECK(skipped > 464 * 2500);
      CHECK(skipped < 2000 * 3000);
      spec.schedule.work = Schedule::Work::all;
      swept<SmithWatermanAffine>(spec, pair, *context, set, &skipped);
      CHECK(skipped == 0);
    }
  }
}

TEST_CASE("a score that is known before leaves out cells from the first on") {
  const auto context = device::make_cpu_context(1);
  const test::Sequence part = test::random_letters(1900, 1);
  const Pair pair{"a late best", test::holding(part, {1000}, 3000, 20), test::holding(part, {1000}, 3000, 30)};
  SweepSpec spec = dear_spec(pair);
  std::uint64_t before = 0, skipped = 0;
  swept<SmithWatermanAffine>(spec, pair, *context, InstructionSet::sse2, &before);
  spec.known = 1900 * static_cast<std::int64_t>(spec.settings.number("match"));
  swept<SmithWatermanAffine>(spec, pair, *context, InstructionSet::sse2, &skipped);
  CHECK(skipped > before + 3000 * 1000);
}

TEST_CASE("pruning bounds hold with a matrix's scores") {
  for (const Pair& pair : test::pruned_pairs()) {
    Pair proteins = pair;
    for (auto* letters : {&proteins.rows, &proteins.columns}) {
      for (auto& letter : *letters) letter %= test::sample_codes;
    }
    check_pruned<SmithWatermanAffineMatrix>(proteins, {900, 800}, ElementType::i16, 2);
  }
}

TEST_CASE("what can be reached is the entering score and a gain for every pair that is left") {
  CHECK(reach(100, 2, 30, 50, 10, 50) == 140);
  CHECK(reach(100, 2, 10, 50, 30, 50) == 140);
  CHECK(reach(7, 5, 50, 50, 0, 50) == 7);
  CHECK(reach(0, 0, 0, 50, 0, 50) == 0);
}

}  // namespace
}  // namespace terrace::wavefront
