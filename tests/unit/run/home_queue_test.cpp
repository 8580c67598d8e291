// Tiles on their way to the result: groups that are written together, and their order.
#include "pipeline/run/executor/home_queue.hpp"

#include <catch2/catch.hpp>
#include <deque>

using namespace terrace;
using namespace terrace::run;

namespace {

/// Results of 4 x 6 tiles of 8 x 8 numbers, of 3 x 2 tiles whose rows together have a MiB, and of rows of tiles.
struct Results {
  std::vector<ArraySpec> specs{{"small", Role::result, ElementType::f64, {32, 48}, {8, 8}},
                               {"long", Role::result, ElementType::f64, {6, 1 << 17}, {2, 1 << 16}},
                               {"bands", Role::result, ElementType::f64, {32, 48}, {8, 48}}};
  std::vector<TileGrid> grids;
  std::deque<Version> versions;

  Results() {
    for (const ArraySpec& spec : specs) grids.emplace_back(spec.shape, spec.tile);
  }
  Version& version(int array, std::int64_t tile) {
    Version& made = versions.emplace_back();
    made.key = {array, tile, 1};
    return made;
  }
};

std::vector<std::int64_t> tiles_of(const std::vector<HomeQueue::Waiting>& taken) {
  std::vector<std::int64_t> tiles;
  for (const HomeQueue::Waiting& waiting : taken) tiles.push_back(waiting.version->key.tile);
  return tiles;
}

}  // namespace

TEST_CASE("Tiles side by side leave together, the longest row first, and none lies in another row") {
  Results results;
  const Store store(results.specs, results.grids, std::vector<ArrayStorage>(3));
  HomeQueue queue(store);
  for (const std::int64_t tile : {22, 8, 5, 7, 6, 1, 23, 12, 9, 3}) queue.add(results.version(0, tile), nullptr);
  using Tiles = std::vector<std::int64_t>;
  CHECK(tiles_of(queue.take()) == Tiles{6, 7, 8, 9});
  CHECK(tiles_of(queue.take()) == Tiles{22, 23});
  queue.add(results.version(0, 2), nullptr);
  CHECK(tiles_of(queue.take()) == Tiles{1, 2, 3});
  CHECK(tiles_of(queue.take()) == Tiles{5});
  CHECK(tiles_of(queue.take()) == Tiles{12});
  CHECK(queue.empty());
  CHECK(queue.take().empty());
}

TEST_CASE("Rows are joined until they are long, and arrays apart") {
  Results results;
  const Store store(results.specs, results.grids, std::vector<ArrayStorage>(3));
  HomeQueue queue(store);
  for (const std::int64_t tile : {2, 3, 4}) queue.add(results.version(1, tile), nullptr);
  for (const std::int64_t tile : {0, 1, 2, 3, 4}) queue.add(results.version(0, tile), nullptr);
  using Tiles = std::vector<std::int64_t>;
  CHECK(tiles_of(queue.take()) == Tiles{2, 3});
  CHECK(tiles_of(queue.take()) == Tiles{4});
  CHECK(tiles_of(queue.take()) == Tiles{0, 1, 2, 3, 4});
}

TEST_CASE("Tiles that span their array, or have long rows, need no neighbours") {
  Results results;
  results.specs.push_back({"longer", Role::result, ElementType::f64, {4, 1 << 18}, {2, 1 << 17}});
  results.grids.emplace_back(results.specs[3].shape, results.specs[3].tile);
  const Store store(results.specs, results.grids, std::vector<ArrayStorage>(4));
  const HomeQueue queue(store);
  CHECK(queue.is_for(results.version(0, 0)));
  CHECK(queue.is_for(results.version(1, 0)));
  CHECK_FALSE(queue.is_for(results.version(2, 0)));
  CHECK_FALSE(queue.is_for(results.version(3, 0)));
}
