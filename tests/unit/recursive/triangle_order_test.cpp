// The recursive order of updates of a triangle: every split once, and only complete tiles are read.
#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "stages/recursive/triangles/order.hpp"

namespace terrace::stages {
namespace {

using Tile = std::pair<std::int64_t, std::int64_t>;

/// Calls check(tiles, updates) for triangles of many sizes, cut in many ways.
template <class Check>
void for_all_triangles(const Check& check) {
  for (const std::vector<std::int64_t>& ways :
       std::vector<std::vector<std::int64_t>>{{2}, {3}, {4, 2}, {2, 5, 3}, {100}}) {
    for (std::int64_t tiles = 0; tiles <= 11; ++tiles) {
      INFO(tiles << " tiles, " << ways[0] << " ways");
      const TriangleOrder order(tiles, ways);
      std::vector<TriangleUpdate> updates;
      for (std::int64_t index = 0; index < order.count(); ++index) updates.push_back(order.at(index));
      check(tiles, updates);
    }
  }
}

TEST_CASE("every split of every tile of a triangle is taken once, and those of its own rows and columns last") {
  for_all_triangles([](std::int64_t tiles, const std::vector<TriangleUpdate>& updates) {
    std::map<Tile, std::set<std::int64_t>> taken;
    for (const TriangleUpdate& at : updates) {
      auto& splits = taken[{at.i, at.j}];
      REQUIRE(at.before == static_cast<std::int64_t>(splits.size()));
      REQUIRE(splits.count(at.j) == 0);
      REQUIRE((at.k > at.i || at.i == at.j));
      REQUIRE(at.k <= at.j);
      REQUIRE(splits.insert(at.k).second);
    }
    REQUIRE(static_cast<std::int64_t>(taken.size()) == tiles * (tiles + 1) / 2);
    for (const auto& [tile, splits] : taken) {
      REQUIRE(static_cast<std::int64_t>(splits.size()) == TriangleOrder::updates_of(tile.first, tile.second));
    }
  });
}

TEST_CASE("an update reads tiles of a triangle that are complete") {
  for_all_triangles([](std::int64_t tiles, const std::vector<TriangleUpdate>& updates) {
    std::set<Tile> complete;
    for (const TriangleUpdate& at : updates) {
      const auto reads = [&](std::int64_t i, std::int64_t j) { REQUIRE(complete.count({i, j}) == 1); };
      if (!at.closes()) {
        reads(at.i, at.k);
        reads(at.k, at.j);
      } else if (at.i < at.j) {
        reads(at.i, at.i);
        reads(at.j, at.j);
        reads(at.i + 1, at.j);
        reads(at.i, at.j - 1);
      }
      if (at.closes()) complete.insert({at.i, at.j});
    }
    if (tiles > 0) REQUIRE(updates.back() == TriangleUpdate{0, tiles - 1, tiles - 1, updates.back().before});
  });
}

}  // namespace
}  // namespace terrace::stages
