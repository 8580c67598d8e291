// Sweeps of a band of diagonals on CUDA: the score is never better than the true one, and is the true one where that
// is proved.
#include <catch2/catch.hpp>

#include "tests/differential/wavefront/distances.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"

namespace terrace::wavefront {
namespace {

using test::Pair;
using test::Sequence;

template <class P>
SweepSpec spec_of(const Pair& pair) {
  SweepSpec spec;
  spec.problem = P::name;
  spec.rows = static_cast<std::int64_t>(pair.rows.size());
  spec.columns = static_cast<std::int64_t>(pair.columns.size());
  spec.block_rows = std::max<std::int64_t>(1, spec.rows);
  spec.block_columns = std::max<std::int64_t>(1, spec.columns);
  spec.value = spec.border = ElementType::i32;
  return spec;
}

/// The distance that a sweep of the band finds.
template <class P>
std::int64_t distance_in_band(device::Context& context, const SweepSpec& spec, const Pair& pair,
                              const CudaTrial& trial) {
  testing::CudaTable cuda(spec, context, {pair.rows, pair.columns, {}}, trial);
  cuda.run();
  REQUIRE(cuda.done == cuda.blocks());
  const BlockResult& last = cuda.results.back();
  CHECK(last.row == spec.rows);
  CHECK(last.column == spec.columns);
  return distance_of<P>(last.score, spec.rows + spec.columns);
}

/// A trial of bands of 1024 rows, or of 2048.
CudaTrial bits_trial(unsigned turn) {
  CudaTrial trial = test::trial_of(turn);
  trial.cells = false;
  trial.lane_rows = turn % 2 == 0 ? 32 : 64;
  return trial;
}

template <class P>
void check_bands(device::Context& context, const Pair& pair, std::initializer_list<std::int64_t> margins,
                 unsigned& turn) {
  SweepSpec spec = spec_of<P>(pair);
  const std::int64_t expected = test::true_distance<P>(pair);
  for (const std::int64_t margin : margins) {
    spec.band = band_of_margin(spec.rows, spec.columns, margin);
    INFO(P::name << ", " << pair.what << ", " << spec.rows << " x " << spec.columns << ", margin " << margin);
    const std::int64_t found = distance_in_band<P>(context, spec, pair, bits_trial(turn++));
    CHECK(found >= expected);
    CHECK(found <= test::reference_in_band<P>(pair, spec.band));
    if (found <= proven_distance(spec.rows, spec.columns, margin)) CHECK(found == expected);
  }
  spec.band = band_of_margin(spec.rows, spec.columns, proving_margin(spec.rows, spec.columns, expected));
  INFO(P::name << ", " << pair.what << ", proved");
  CHECK(distance_in_band<P>(context, spec, pair, bits_trial(turn++)) == expected);
}

TEST_CASE("on CUDA a band of diagonals gives a distance between the true one and the best inside it") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  for (const Pair& pair : test::diagonal_pairs(2200)) {
    check_bands<EditDistance>(*context, pair, {1, 500}, turn);
    check_bands<Lcs>(*context, pair, {64}, turn);
  }
}

TEST_CASE("on CUDA what is far from a band's diagonals is not computed, and is in tables of several blocks") {
  const auto context = test::cuda_context();
  if (!context) return;
  const Sequence part = test::random_letters(1500, 1);
  const Pair pair{"one part, far from the diagonal", test::holding(part, {0}, 3500, 20),
                  test::holding(part, {2000}, 3500, 30)};
  SweepSpec spec = spec_of<Lcs>(pair);
  spec.band = band_of_margin(spec.rows, spec.columns, 1);
  const std::int64_t expected = test::true_distance<Lcs>(pair);
  CHECK(distance_in_band<Lcs>(*context, spec, pair, bits_trial(0)) > expected);
  spec.block_rows = 1100;
  CHECK(distance_in_band<Lcs>(*context, spec, pair, bits_trial(0)) == expected);
}

TEST_CASE("on CUDA bands of tables of one row, one column and one cell are exact") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  const Sequence letters = test::random_letters(2500, 10);
  for (const auto& [rows, columns] : {std::pair{1, 1}, std::pair{1, 2500}, std::pair{2500, 1}, std::pair{2, 400}}) {
    const Pair pair{"flat or tall", Sequence(letters.begin(), letters.begin() + rows),
                    Sequence(letters.begin(), letters.begin() + columns)};
    check_bands<EditDistance>(*context, pair, {1, 1000}, turn);
    check_bands<Lcs>(*context, pair, {1, 1000}, turn);
  }
  for (const auto& [rows, columns] : {std::pair{0, 0}, std::pair{0, 40}, std::pair{40, 0}}) {
    const Pair pair{"empty", Sequence(letters.begin(), letters.begin() + rows),
                    Sequence(letters.begin(), letters.begin() + columns)};
    check_bands<EditDistance>(*context, pair, {1, 30}, turn);
  }
}

}  // namespace
}  // namespace terrace::wavefront
