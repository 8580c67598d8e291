// Sweeps of bands of diagonals: the score is never better than the true one, and is the true one where that is
// proved.
#include <catch2/catch.hpp>
#include <memory>

#include "kernels/device/cpu_features.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "tests/differential/wavefront/distances.hpp"
#include "tests/differential/wavefront/feeder.hpp"

namespace terrace::wavefront {
namespace {

using device::InstructionSet;
using test::Pair;
using test::Sequence;

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

template <class P>
SweepSpec spec_of(const Pair& pair, const Cut& cut) {
  SweepSpec spec;
  spec.problem = P::name;
  spec.rows = static_cast<std::int64_t>(pair.rows.size());
  spec.columns = static_cast<std::int64_t>(pair.columns.size());
  spec.block_rows = cut.block_rows;
  spec.block_columns = cut.block_columns;
  spec.value = spec.border = ElementType::i32;
  return spec;
}

/// The distance that a sweep of the band finds.
template <class P>
std::int64_t distance_in_band(const SweepSpec& spec, const Pair& pair, device::Context& context, InstructionSet set) {
  test::TableMemory memory(spec, pair.rows, pair.columns, {});
  const auto sweep = make_cpu_sweep(spec, context, set);
  const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
  REQUIRE(test::feed(*sweep, memory, 0, blocks).done == blocks);
  const BlockResult& last = memory.results().back();
  REQUIRE(last.row == spec.rows);
  REQUIRE(last.column == spec.columns);
  return distance_of<P>(last.score, spec.rows + spec.columns);
}

/// Sweeps the pair in bands of every margin: the result is the distance of an alignment, at least as good as the best
/// inside the band, and the true distance once it is proved.
template <class P>
void check_bands(const Pair& pair, const std::vector<std::int64_t>& margins, const Cut& cut, int threads) {
  const auto context = device::make_cpu_context(threads);
  SweepSpec spec = spec_of<P>(pair, cut);
  const std::int64_t expected = test::true_distance<P>(pair);
  for (const std::int64_t margin : margins) {
    spec.band = band_of_margin(spec.rows, spec.columns, margin);
    const std::int64_t best_inside = test::reference_in_band<P>(pair, spec.band);
    for (const InstructionSet set : instruction_sets()) {
      const std::int64_t found = distance_in_band<P>(spec, pair, *context, set);
      INFO(P::name << ", " << pair.what << ", " << spec.rows << " x " << spec.columns << " in blocks of "
                   << cut.block_rows << " x " << cut.block_columns << ", margin " << margin << ", "
                   << device::name_of(set));
      CHECK(found >= expected);
      CHECK(found <= best_inside);
      if (found <= proven_distance(spec.rows, spec.columns, margin)) CHECK(found == expected);
    }
  }
  spec.band = band_of_margin(spec.rows, spec.columns, proving_margin(spec.rows, spec.columns, expected));
  for (const InstructionSet set : instruction_sets()) {
    INFO(P::name << ", " << pair.what << ", proved, " << device::name_of(set));
    CHECK(distance_in_band<P>(spec, pair, *context, set) == expected);
  }
}

TEST_CASE(
    "a band of diagonals gives a distance between the true one and the best inside it, in one block and in many") {
  const Cut cuts[] = {{5000, 5000}, {5000, 333}, {700, 5000}, {500, 640}};
  unsigned turn = 0;
  for (const Pair& pair : test::diagonal_pairs(2100)) {
    const Cut& cut = cuts[turn++ % 4];
    check_bands<EditDistance>(pair, {1, 2, 63, 200, 700}, cut, 3);
    check_bands<Lcs>(pair, {1, 64, 65, 300, 2000}, cuts[turn % 4], 2);
  }
}

TEST_CASE("narrow bands through small blocks are exact wherever they cross the blocks' edges") {
  for (const Cut& cut : {Cut{64, 64}, Cut{100, 64}, Cut{64, 100}, Cut{37, 41}, Cut{300, 1}, Cut{1, 300}}) {
    const Sequence random = test::random_letters(310, 7);
    for (const Pair& pair : {Pair{"few changes", random, test::mutated(random, 40, 8)},
                             Pair{"unlike", random, test::random_letters(270, 9)}}) {
      check_bands<EditDistance>(pair, {1, 2, 3, 5, 30, 64, 130}, cut, 2);
      check_bands<Lcs>(pair, {1, 2, 3, 5, 30, 64, 130}, cut, 2);
    }
  }
}

TEST_CASE("bands of tables of one row, one column and one cell are exact") {
  const Sequence letters = test::random_letters(500, 10);
  for (const auto& [rows, columns] : {std::pair{1, 1}, std::pair{1, 500}, std::pair{500, 1}, std::pair{2, 400}}) {
    const Pair pair{"flat or tall", Sequence(letters.begin(), letters.begin() + rows),
                    Sequence(letters.begin(), letters.begin() + columns)};
    check_bands<EditDistance>(pair, {1, 2, 1000}, {7, 90}, 2);
    check_bands<Lcs>(pair, {1, 2, 1000}, {500, 500}, 2);
  }
}

TEST_CASE("the margin that proves a distance is the least that does") {
  for (std::int64_t columns : {50, 100, 160}) {
    for (std::int64_t distance = 0; distance < 200; ++distance) {
      const std::int64_t margin = proving_margin(100, columns, distance);
      CHECK(proven_distance(100, columns, margin) >= distance);
      if (margin > 1) CHECK(proven_distance(100, columns, margin - 1) < distance);
    }
  }
  CHECK(share_of(band_of_margin(10, 10, 1), 10, 10) == Approx(0.28));
  CHECK(share_of(DiagonalBand{}, 10, 30) == Approx(1));
}

}  // namespace
}  // namespace terrace::wavefront
