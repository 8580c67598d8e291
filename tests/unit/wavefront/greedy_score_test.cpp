// Scores that a local alignment certainly reaches: never above the best one.
#include "kernels/wavefront/greedy_score.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "kernels/wavefront/reference/reference.hpp"
#include "kernels/wavefront/visit.hpp"
#include "tests/differential/wavefront/pairs.hpp"

namespace terrace::wavefront {
namespace {

using test::Pair;
using test::Sequence;

template <class P>
std::int64_t best_score(const Settings& settings, const Pair& pair) {
  return letters_reference<P>(problem_constants<P>(settings), pair.rows, pair.columns).score;
}

template <class P>
std::int64_t greedy(const Settings& settings, const Pair& pair) {
  return greedy_score(P::name, settings, pair.rows, pair.columns);
}

Settings affine(double match, double mismatch, double open, double extend) {
  Settings settings;
  settings.set("match", match);
  settings.set("mismatch", mismatch);
  settings.set("gap_open", open);
  settings.set("gap_extend", extend);
  return settings;
}

/// More letters in the middle.
Sequence with_gap(Sequence letters, std::int64_t count) {
  const Sequence more = test::random_letters(count, 77);
  letters.insert(letters.begin() + static_cast<std::ptrdiff_t>(letters.size() / 2), more.begin(), more.end());
  return letters;
}

TEST_CASE("a greedy score is never above that of the best alignment") {
  const Settings costs[] = {affine(1, -3, 3, 2), affine(2, -1, 0, 1), affine(5, 0, 9, 0), affine(1, -9, 20, 5),
                            affine(0.25, -0.5, 1, 0.5)};
  std::size_t turn = 0;
  for (const Pair& pair : test::pruned_pairs()) {
    INFO(pair.what);
    const Settings& settings = costs[turn++ % 5];
    CHECK(greedy<SmithWatermanAffine>(settings, pair) <= best_score<SmithWatermanAffine>(settings, pair));
    const Settings linear = test::sample_settings<SmithWatermanLinear>();
    CHECK(greedy<SmithWatermanLinear>(linear, pair) <= best_score<SmithWatermanLinear>(linear, pair));
  }
}

TEST_CASE("of equal sequences the greedy score is the best one") {
  const Sequence letters = test::random_letters(3000, 1);
  CHECK(greedy<SmithWatermanAffine>(affine(2, -3, 3, 2), {"equal", letters, letters}) == 6000);
}

TEST_CASE("of similar sequences the greedy score is most of the best one, behind a long gap, too") {
  const Sequence letters = test::random_letters(5000, 1);
  const Settings settings = affine(1, -3, 3, 2);
  for (const unsigned every : {100u, 30u}) {
    const Pair pair{"similar", letters, with_gap(test::mutated(letters, every, 5), 60)};
    const std::int64_t best = best_score<SmithWatermanAffine>(settings, pair);
    CHECK(greedy<SmithWatermanAffine>(settings, pair) > best * 8 / 10);
    CHECK(greedy<SmithWatermanAffine>(settings, {"similar", pair.columns, pair.rows}) > best * 8 / 10);
  }
}

TEST_CASE("what two sequences share is found wherever it lies") {
  const Sequence part = test::random_letters(2000, 3);
  const Pair pair{"shared", test::holding(part, {5000}, 9000, 20), test::holding(part, {100}, 3000, 30)};
  CHECK(greedy<SmithWatermanAffine>(affine(1, -3, 3, 2), pair) >= 2000);
}

TEST_CASE("sequences too short for a word, of one letter alone or without anything in common have a greedy score") {
  const Settings settings = affine(1, -3, 3, 2);
  CHECK(greedy<SmithWatermanAffine>(settings, {"empty", {}, {}}) == 0);
  CHECK(greedy<SmithWatermanAffine>(settings, {"short", Sequence(15, 1), Sequence(4000, 1)}) == 0);
  CHECK(greedy<SmithWatermanAffine>(settings, {"a word", Sequence(16, 1), Sequence(16, 1)}) == 16);
  CHECK(greedy<SmithWatermanAffine>(settings, {"other letters", Sequence(4000, 1), Sequence(4000, 2)}) == 0);
  // Every word is everywhere: looked at once, not a million times a million.
  CHECK(greedy<SmithWatermanAffine>(settings, {"one letter", Sequence(1000000, 1), Sequence(900000, 1)}) == 900000);
}

TEST_CASE("costs whose sums may leave the numbers they are kept in give no greedy score") {
  const Sequence letters = test::random_letters(3000, 1);
  const Pair equal{"equal", letters, letters};
  CHECK(greedy<SmithWatermanAffine>(affine(1e12, -1e12, 1e12, 1e12), equal) == 3000 * std::int64_t{1000000000000});
  for (const Settings& settings : {affine(1e14, -3, 3, 2), affine(1, -1e14, 3, 2), affine(1, -3, 1e14, 2)}) {
    CHECK(greedy<SmithWatermanAffine>(settings, equal) == 0);
  }
}

TEST_CASE("problems that prune nothing, and matrices, have no greedy score") {
  const Sequence letters = test::random_letters(300, 1);
  const Settings matrix = test::sample_settings<SmithWatermanAffineMatrix>();
  CHECK(has_greedy_score(SmithWatermanAffine::name, affine(1, -3, 3, 2)));
  CHECK_FALSE(has_greedy_score(SmithWatermanAffineMatrix::name, matrix));
  CHECK(greedy_score(SmithWatermanAffineMatrix::name, matrix, letters, letters) == 0);
  CHECK_FALSE(has_greedy_score("edit_distance", {}));
  CHECK(greedy_score("edit_distance", {}, letters, letters) == 0);
}

}  // namespace
}  // namespace terrace::wavefront
