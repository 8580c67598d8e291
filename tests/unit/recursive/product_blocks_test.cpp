// Products cut so that parts stay in memory until they are done.
#include "stages/recursive/products/blocks.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

namespace terrace::stages {
namespace {

using Tile = std::array<std::int64_t, 3>;  // matrix, row, column

std::array<Tile, 3> tiles_of(const Update& at) { return {{{0, at.i, at.k}, {1, at.k, at.j}, {2, at.i, at.j}}}; }

/// Movements into and out of a memory of `room` tiles that evicts the tile needed last.
struct Moved {
  std::int64_t left = 0, right = 0, product_in = 0, product_out = 0;
};
Moved moved(const RecursiveOrder& order, std::size_t room) {
  std::map<Tile, std::vector<std::int64_t>> uses;  // last first
  for (std::int64_t index = order.count() - 1; index >= 0; --index) {
    for (const Tile& tile : tiles_of(order.at(index))) uses[tile].push_back(index);
  }
  Moved count;
  std::map<Tile, bool> held, begun;
  for (std::int64_t index = 0; index < order.count(); ++index) {
    for (const Tile& tile : tiles_of(order.at(index))) {
      uses[tile].pop_back();
      if (!held.emplace(tile, true).second) continue;
      if (tile[0] == 0) ++count.left;
      if (tile[0] == 1) ++count.right;
      if (tile[0] == 2 && begun.count(tile) > 0) ++count.product_in;
      begun[tile] = true;
    }
    while (held.size() > room) {
      const auto last = std::max_element(held.begin(), held.end(), [&](const auto& a, const auto& b) {
        const auto next = [&](const Tile& tile) { return uses[tile].empty() ? order.count() : uses[tile].back(); };
        return next(a.first) < next(b.first);
      });
      if (last->first[0] == 2) ++count.product_out;
      held.erase(last);
    }
  }
  for (const auto& [tile, there] : held) count.product_out += tile[0] == 2 ? 1 : 0;
  return count;
}

TEST_CASE("blocks of a product stay in the memory that they are for until they are done") {
  const ProductTiles shapes[] = {{8, 8, 8}, {12, 12, 12}, {5, 11, 7}, {16, 4, 9}, {1, 9, 9}, {9, 1, 9}, {9, 9, 1}};
  for (const ProductTiles& shape : shapes) {
    for (const std::int64_t room : {8, 12, 31, 64, 100}) {
      INFO(shape.rows << " x " << shape.columns << " x " << shape.depth << " tiles in " << room);
      for (const TileRoom& memory : {TileRoom{room, 0}, TileRoom{1000, room}, TileRoom{2 * room, room}}) {
        const std::vector<Ways> ways = kept_product_ways(shape, memory);
        REQUIRE(keeps_product(ways));
        const RecursiveOrder order = RecursiveOrder::product(shape.rows, shape.columns, shape.depth, ways);
        const ProductTraffic said = traffic_of(shape, memory, ways);
        const auto check = [&](std::int64_t tiles, const ProductPasses& passes) {
          const Moved found = moved(order, static_cast<std::size_t>(tiles));
          const auto whole = [](double times) { return static_cast<std::int64_t>(times); };
          CHECK(found.left <= whole(passes.left) * shape.rows * shape.depth);
          CHECK(found.right <= whole(passes.right) * shape.depth * shape.columns);
          CHECK(found.product_out <= whole(passes.product) * shape.rows * shape.columns);
          CHECK(found.product_in <= whole(passes.product - 1) * shape.rows * shape.columns);
        };
        check(memory.host, said.host);
        if (memory.device > 0) check(memory.device, said.device);
      }
    }
  }
}

TEST_CASE("a product of 8 x 8 x 8 tiles in 31 is cut into four blocks, and moves less than by halves") {
  const TileRoom room{1000, 31};
  const std::vector<Ways> ways = kept_product_ways({8, 8, 8}, room);
  const Moved kept = moved(RecursiveOrder::product(8, 8, 8, ways), 31);
  const Moved halves = moved(RecursiveOrder::product(8, 8, 8, alike({2})), 31);
  CHECK(kept.left + kept.right <= 256);
  CHECK(kept.product_in == 0);
  CHECK(kept.product_out == 64);
  CHECK(kept.left + kept.right < halves.left + halves.right + halves.product_in);
  CHECK(kept.product_out < halves.product_out);
}

TEST_CASE("levels that cut alike keep no product") {
  CHECK_FALSE(keeps_product(alike({2})));
  CHECK_FALSE(keeps_product(alike({4, 2, 2, 2, 2, 2})));
}

}  // namespace
}  // namespace terrace::stages
