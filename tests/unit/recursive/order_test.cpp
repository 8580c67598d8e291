// The recursive order of updates of a square table: complete, legal, and with little traffic.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "stages/recursive/order.hpp"

namespace terrace::stages {
namespace {

const std::vector<std::vector<std::int64_t>> all_ways = {{2}, {3}, {4, 2}, {2, 5, 3}, {100}};

template <class Check>
void for_all_orders(const Check& check) {
  for (const auto& ways : all_ways) {
    for (std::int64_t tiles = 0; tiles <= 9; ++tiles) {
      INFO(tiles << " tiles, " << ways[0] << " ways");
      check(RecursiveOrder::closure(tiles, ways), tiles * tiles * tiles);
      check(RecursiveOrder::elimination(tiles, ways), tiles * (tiles + 1) * (2 * tiles + 1) / 6);
    }
    check(RecursiveOrder::product(3, 7, 5, alike(ways)), 3 * 7 * 5);
    check(RecursiveOrder::product(8, 1, 4, alike(ways)), 8 * 4);
  }
}

TEST_CASE("every update has one index, and those of a tile come in the order of k") {
  for_all_orders([](const RecursiveOrder& order, std::int64_t count) {
    REQUIRE(order.count() == count);
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> done;
    for (std::int64_t index = 0; index < count; ++index) {
      const Update at = order.at(index);
      REQUIRE(order.index_of(at) == index);
      std::int64_t& updates = done[{at.i, at.j}];
      REQUIRE(at.k == updates);
      REQUIRE(order.updates_before(at.i, at.j, index) == updates);
      ++updates;
    }
    for (const auto& [tile, updates] : done) REQUIRE(updates == order.updates_of(tile.first, tile.second));
  });
}

TEST_CASE("a block reads tiles that the pivots have updated") {
  for_all_orders([](const RecursiveOrder& order, std::int64_t count) {
    for (std::int64_t index = 0; index < count; ++index) {
      const Update at = order.at(index);
      if (order.updates_of(at.i, at.j) == 0 || count == 105 || count == 32) return;  // products read other tables
      if (at.j != at.k) REQUIRE(order.updates_before(at.i, at.k, index) > at.k);
      if (at.i != at.k) REQUIRE(order.updates_before(at.k, at.j, index) > at.k);
    }
  });
}

TEST_CASE("elimination in the order of recursion is elimination pivot by pivot") {
  constexpr std::int64_t prime = 1000003;
  const auto power = [](std::int64_t base, std::int64_t exponent) {
    std::int64_t result = 1;
    for (; exponent > 0; exponent /= 2, base = base * base % prime) {
      if (exponent % 2 != 0) result = result * base % prime;
    }
    return result;
  };
  for (const auto& ways : all_ways) {
    constexpr std::int64_t n = 9;
    std::vector<std::int64_t> x(n * n);
    for (std::int64_t i = 0; i < n * n; ++i) x[static_cast<std::size_t>(i)] = (i * i * 7919 + 13) % prime;
    std::vector<std::int64_t> plain = x;
    const auto update = [&](std::vector<std::int64_t>& m, const Update& at) {
      const auto cell = [&](std::int64_t i, std::int64_t j) -> std::int64_t& {
        return m[static_cast<std::size_t>(i * n + j)];
      };
      if (at.i == at.k) return;
      if (at.j == at.k) cell(at.i, at.k) = cell(at.i, at.k) * power(cell(at.k, at.k), prime - 2) % prime;
      else cell(at.i, at.j) = (cell(at.i, at.j) + (prime - cell(at.i, at.k)) * cell(at.k, at.j)) % prime;
    };
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t i = k; i < n; ++i) {
        for (std::int64_t j = k; j < n; ++j) update(plain, {i, j, k});
      }
    }
    const RecursiveOrder order = RecursiveOrder::elimination(n, ways);
    for (std::int64_t index = 0; index < order.count(); ++index) update(x, order.at(index));
    CHECK(x == plain);
  }
}

/// Tiles read and written by updates in that order, with room for `room` tiles and the one needed last going first.
std::int64_t moved(const RecursiveOrder& order, std::size_t room) {
  using Tile = std::pair<std::int64_t, std::int64_t>;
  std::map<Tile, std::vector<std::int64_t>> uses;  // last first
  const auto tiles_of = [](const Update& at) { return std::set<Tile>{{at.i, at.j}, {at.i, at.k}, {at.k, at.j}}; };
  for (std::int64_t index = order.count() - 1; index >= 0; --index) {
    for (const Tile& tile : tiles_of(order.at(index))) uses[tile].push_back(index);
  }
  std::map<Tile, bool> held;  // true: it has changed
  std::int64_t count = 0;
  for (std::int64_t index = 0; index < order.count(); ++index) {
    const Update at = order.at(index);
    for (const Tile& tile : tiles_of(at)) {
      uses[tile].pop_back();
      if (held.emplace(tile, false).second) ++count;
    }
    held[{at.i, at.j}] = true;
    while (held.size() > room) {
      const auto last = std::max_element(held.begin(), held.end(), [&](const auto& a, const auto& b) {
        const auto next = [&](const Tile& tile) { return uses[tile].empty() ? order.count() : uses[tile].back(); };
        return next(a.first) < next(b.first);
      });
      count += last->second ? 1 : 0;
      held.erase(last);
    }
  }
  for (const auto& [tile, changed] : held) count += changed ? 1 : 0;
  return count;
}

TEST_CASE("the recursion in two moves a matrix of which half fits less than five times") {
  constexpr std::int64_t tiles = 32, matrix = tiles * tiles;
  const std::int64_t two_way = moved(RecursiveOrder::closure(tiles, {2}), matrix / 2 - 3);
  const std::int64_t plain = moved(RecursiveOrder::closure(tiles, {tiles}), matrix / 2 - 3);
  CAPTURE(two_way, plain, matrix);
  CHECK(two_way <= 5 * matrix);
  CHECK(plain > 2 * two_way);
}

}  // namespace
}  // namespace terrace::stages
