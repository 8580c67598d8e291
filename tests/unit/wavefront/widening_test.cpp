// Bands of diagonals that widen until the distance is proved.
#include "stages/wavefront/widening.hpp"

#include <catch2/catch.hpp>

namespace terrace::stages {
namespace {

/// Margins of the sweeps over a table whose alignment inside a band of any margin has distance(margin).
template <class Distance>
std::vector<std::int64_t> margins(std::int64_t rows, std::int64_t columns, Distance&& distance) {
  const Widening widening(rows, columns);
  std::vector<std::int64_t> all{widening.first()};
  while (const auto next = widening.next(all.back(), distance(all.back()))) all.push_back(*next);
  return all;
}

TEST_CASE("a distance that the first band proves needs no other") {
  const auto found = margins(100000, 100020, [](std::int64_t) { return 300; });
  CHECK(found.size() == 1);
  CHECK(found[0] != Widening::whole);
}

TEST_CASE("a distance that needs little more is proved by the next band") {
  const auto found = margins(1000000, 1000000, [](std::int64_t) { return 9927; });
  REQUIRE(found.size() == 2);
  CHECK(wavefront::proven_distance(1000000, 1000000, found[1]) >= 9927);
  CHECK(wavefront::proven_distance(1000000, 1000000, found[1]) < 9930);
}

TEST_CASE("bands widen while wider ones may hold a better alignment, and cost less together than the proof") {
  const auto found = margins(1000000, 1000000, [](std::int64_t margin) { return margin < 6000 ? 300000 : 30000; });
  REQUIRE(found.size() > 2);
  for (std::size_t i = 1; i < found.size(); ++i) CHECK(found[i] > found[i - 1]);
  CHECK(wavefront::proven_distance(1000000, 1000000, found.back()) >= 30000);
  const auto unlike = margins(1000000, 1000000, [](std::int64_t) { return 520000; });
  std::int64_t before = 0;
  for (std::size_t i = 0; i + 1 < unlike.size(); ++i) before += unlike[i];
  CHECK(6 * before < unlike.back());
}

TEST_CASE("small tables, and those that the band would fill, are swept whole") {
  CHECK(margins(4000, 100000, [](std::int64_t) { return 96000; }) == std::vector<std::int64_t>{Widening::whole});
  CHECK(margins(100, 100, [](std::int64_t) { return 0; }) == std::vector<std::int64_t>{Widening::whole});
  const auto found = margins(10000, 10000, [](std::int64_t) { return 19000; });
  CHECK(found.back() == Widening::whole);
  CHECK(Widening(10, 10).band(Widening::whole).whole());
}

TEST_CASE("where narrow bands take as long as wider ones the first is as wide as costs nothing") {
  const Widening widening(2000000, 2000100, 270000);
  CHECK(widening.first() == 270000);
  CHECK(widening.next(270000, 500000) == std::nullopt);
  CHECK(widening.next(270000, 1000000) == wavefront::proving_margin(2000000, 2000100, 1000000));
  CHECK(Widening(300000, 300000, 270000).first() == Widening::whole);
}

TEST_CASE("limits of a distance have the band in which no better or equal alignment leaves it, and prove it") {
  const Widening widening(1000000, 1000000);
  const std::int64_t limited = Widening::limited_by(62190);
  CHECK(Widening::is_limited(limited));
  CHECK_FALSE(Widening::is_limited(Widening::whole));
  CHECK(Widening::limiting_distance(limited) == 62190);
  CHECK(widening.next(limited, 62190) == std::nullopt);
  const wavefront::DiagonalBand band = widening.band(limited);
  CHECK(band.high == wavefront::proving_margin(1000000, 1000000, 62191));
  CHECK(band.low == -band.high);
}

}  // namespace
}  // namespace terrace::stages
