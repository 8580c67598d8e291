// Limits of seeds: a sweep of the part of a band that they leave gives the distance, of every pair that has the
// distance they were made for.
#include "kernels/wavefront/seed_limits.hpp"

#include <catch2/catch.hpp>
#include <memory>

#include "kernels/device/cpu_features.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "tests/differential/wavefront/distances.hpp"
#include "tests/differential/wavefront/feeder.hpp"

namespace terrace::wavefront {
namespace {

using test::Pair;
using test::Sequence;

/// Rows and columns of blocks.
struct Cut {
  std::int64_t block_rows, block_columns;
};

/// Pairs of which limits were found, and those of which these left out more than half of the band.
struct Tried {
  int limited = 0, narrow = 0;
};

std::int64_t height(const Pair& pair) { return static_cast<std::int64_t>(pair.rows.size()); }
std::int64_t width(const Pair& pair) { return static_cast<std::int64_t>(pair.columns.size()); }

template <class P>
std::int64_t distance_in_limits(const Pair& pair, std::int64_t known, const Cut& cut,
                                std::shared_ptr<const BandLimits> limits, device::Context& context) {
  SweepSpec spec;
  spec.problem = P::name;
  spec.rows = height(pair);
  spec.columns = width(pair);
  spec.block_rows = std::min(cut.block_rows, spec.rows);
  spec.block_columns = std::min(cut.block_columns, spec.columns);
  spec.value = spec.border = ElementType::i32;
  spec.band = band_of_margin(spec.rows, spec.columns, proving_margin(spec.rows, spec.columns, known + 1));
  spec.limits = std::move(limits);
  test::TableMemory memory(spec, pair.rows, pair.columns, {});
  const auto sweep = make_cpu_sweep(spec, context, device::best_instruction_set());
  const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
  REQUIRE(test::feed(*sweep, memory, 0, blocks).done == blocks);
  return distance_of<P>(memory.results().back().score, spec.rows + spec.columns);
}

/// Limits for the distance, and for larger ones, which an alignment that was found first may have.
template <class P>
void check_limits(const Pair& pair, const Cut& cut, device::Context& context, Tried& tried) {
  const std::int64_t distance = test::true_distance<P>(pair);
  for (const std::int64_t more : {0, 1, 17, 200}) {
    const std::int64_t known = distance + more;
    const auto limits = seed_limits(pair.rows, pair.columns, known);
    if (!limits) continue;
    ++tried.limited;
    const DiagonalBand band =
        band_of_margin(height(pair), width(pair), proving_margin(height(pair), width(pair), known + 1));
    if (2 * limits->width() < band.high - band.low) ++tried.narrow;
    INFO(P::name << ", " << pair.what << ", " << height(pair) << " x " << width(pair) << " in blocks of "
                 << cut.block_rows << " x " << cut.block_columns << ", known " << known);
    CHECK(distance_in_limits<P>(pair, known, cut, limits, context) == distance);
  }
}

/// A part of the sequence, of a length up to `most`, left out, doubled or moved to another place.
Sequence rearranged(Sequence letters, std::size_t most, std::mt19937& random) {
  const std::size_t length = random() % most + 1, from = random() % (letters.size() - length);
  const auto begin = letters.begin() + static_cast<std::ptrdiff_t>(from);
  const Sequence part(begin, begin + static_cast<std::ptrdiff_t>(length));
  const auto kind = random() % 3;
  if (kind != 1) letters.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
  const auto to = static_cast<std::ptrdiff_t>(random() % letters.size());
  if (kind != 0) letters.insert(letters.begin() + to, part.begin(), part.end());
  return letters;
}

TEST_CASE("sweeps within the limits of seeds give the distance of pairs of any likeness and any cut") {
  const auto context = device::make_cpu_context(2);
  Tried tried;
  const Cut cuts[] = {{5000, 5000}, {5000, 333}, {700, 5000}, {500, 640}, {64, 64}, {100, 1000}};
  std::mt19937 random(11);
  for (unsigned turn = 0; turn < 20; ++turn) {
    const Sequence rows = test::random_letters(800 + random() % 2400, turn);
    Sequence columns = rows;
    for (auto times = random() % 3; times > 0; --times) columns = rearranged(columns, 300, random);
    const unsigned every[] = {2, 4, 8, 16, 50, 200, 100000};
    columns = test::mutated(columns, every[turn % 7], turn + 100);
    const Pair pair{"rearranged and mutated", rows, columns};
    check_limits<EditDistance>(pair, cuts[turn % 6], *context, tried);
    check_limits<Lcs>(pair, cuts[(turn + 1) % 6], *context, tried);
  }
  CHECK(tried.limited > 80);
}

TEST_CASE(
    "sweeps within the limits of seeds give the distance of repeats, of other alphabets and of unlike letters") {
  const auto context = device::make_cpu_context(2);
  Tried tried;
  const Cut cut{900, 1100};
  for (const Pair& pair : test::diagonal_pairs(2600)) {
    check_limits<EditDistance>(pair, cut, *context, tried);
    check_limits<Lcs>(pair, cut, *context, tried);
  }
  std::mt19937 random(12);
  for (const unsigned letters : {1u, 2u, 20u, 256u}) {
    Sequence rows(2500);
    for (auto& letter : rows) letter = static_cast<std::uint8_t>(random() % letters);
    Sequence columns = rows;
    for (auto& letter : columns) {
      if (random() % 20 == 0) letter = static_cast<std::uint8_t>(random() % 256);
    }
    columns = rearranged(columns, 200, random);
    check_limits<EditDistance>({"letters of an alphabet", rows, columns}, cut, *context, tried);
    check_limits<Lcs>({"letters of an alphabet", columns, rows}, cut, *context, tried);
  }
  CHECK(tried.limited > 40);
}

TEST_CASE("limits of seeds leave out most of the band of long pairs that are much alike") {
  const auto context = device::make_cpu_context(2);
  Tried tried;
  for (const unsigned every : {20u, 40u}) {
    const Sequence rows = test::random_letters(20000, every);
    std::mt19937 random(every);
    const Sequence columns = test::mutated(rearranged(rows, 60, random), every, 5);
    check_limits<EditDistance>({"much alike", rows, columns}, {3000, 5000}, *context, tried);
  }
  CHECK(tried.limited == 8);
  CHECK(tried.narrow >= 3);
}

TEST_CASE("seeds have no limits where sequences are short, or no alignment has the distance") {
  const Sequence letters = test::random_letters(3000, 1);
  CHECK(seed_limits({}, letters, 3000) == nullptr);
  CHECK(seed_limits(letters, {}, 3000) == nullptr);
  CHECK(seed_limits(std::span(letters).first(60), std::span(letters).first(60), 5) == nullptr);
  CHECK(seed_limits(letters, test::random_letters(3000, 2), 20) == nullptr);
  const auto limits = seed_limits(letters, test::changed(letters, 30), 100);
  REQUIRE(limits);
  CHECK(limits->cells(0, 3000, 0, 3000) <= 0.06 * 3000 * 3000);
}

}  // namespace
}  // namespace terrace::wavefront
