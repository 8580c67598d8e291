// Tiles by levels: what a tile reads is of lower levels, and devices have equal parts of each.
#include "stages/block_levels.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "stages/dp_table/dealing.hpp"

namespace terrace::stages {
namespace {

struct CutTable {
  Extents extents;
  dp_table::Cut cut;
};

dp_table::Table table_of(const CutTable& made) {
  dp_table::Table table;
  table.extents = made.extents;
  table.cut = made.cut;
  table.steps.dimensions = made.extents.rank();
  // A step of one in each dimension.
  for (int d = 0; d < made.extents.rank(); ++d) {
    for (int other = 0; other < made.extents.rank(); ++other) table.steps.components.push_back(d == other ? 1 : 0);
    table.steps.whole_costs.push_back(1);
    table.steps.real_costs.push_back(1);
  }
  return table;
}

std::int64_t level_of(const dp_table::Table& table, std::int64_t tile) {
  const Box box = dp_table::Tiles(table).box(tile);
  std::int64_t level = box.begin[table.cut.whole] / table.cut.rows;
  for (int d = 0; d < table.cut.whole; ++d) level += box.begin[d];
  return level;
}

const CutTable tables[] = {
    {{7}, {0, 7}},       {{7}, {0, 2}},          {{5, 9}, {1, 3}},       {{5, 9}, {1, 9}},
    {{1, 4, 3}, {2, 1}}, {{4, 3, 5, 2}, {2, 2}}, {{2, 2, 2, 7}, {3, 4}}, {{3, 3, 3, 3, 6}, {4, 1}},
    {{11, 1, 8}, {2, 3}}};

}  // namespace

TEST_CASE("Devices have equal parts of each level") {
  for (const CutTable& made : tables) {
    const dp_table::Table table = table_of(made);
    const BlockLevels levels(tile_places(table));
    const std::int64_t tiles = dp_table::Tiles(table).count();
    for (const int devices : {1, 2, 3, 5, 8}) {
      CAPTURE(to_string(made.extents), made.cut.whole, made.cut.rows, devices);
      std::map<std::int64_t, std::vector<std::int64_t>> parts;
      std::map<std::int64_t, int> last;
      for (std::int64_t tile = 0; tile < tiles; ++tile) {
        const std::int64_t level = level_of(table, tile);
        auto& part = parts[level];
        part.resize(static_cast<std::size_t>(devices));
        const int device = levels.device(tile, devices);
        REQUIRE(device >= last[level]);  // in row-major order
        REQUIRE(device < devices);
        last[level] = device;
        ++part[static_cast<std::size_t>(device)];
      }
      CHECK(static_cast<std::int64_t>(parts.size()) == levels.count());
      std::int64_t rounds = 0, widest = 0;
      for (const auto& [level, part] : parts) {
        const auto [least, most] = std::minmax_element(part.begin(), part.end());
        CHECK(*most - *least <= 1);
        rounds += *most;
        std::int64_t all = 0;
        for (const std::int64_t count : part) all += count;
        widest = std::max(widest, all);
      }
      CHECK(levels.rounds(devices) == rounds);
      CHECK(levels.widest() == widest);
    }
  }
}

TEST_CASE("What a tile reads is of lower levels") {
  for (const CutTable& made : tables) {
    const dp_table::Table table = table_of(made);
    const dp_table::Tiles cut(table);
    CAPTURE(to_string(made.extents), made.cut.whole, made.cut.rows);
    for (std::int64_t tile = 0; tile < cut.count(); ++tile) {
      for (std::int64_t step = 0; step < table.steps.count(); ++step) {
        const Box read = cut.read(tile, table.steps.step(step));
        if (volume(read.shape()) == 0) continue;
        Extents last = read.end;
        for (int d = 0; d < last.rank(); ++d) --last[d];
        CHECK(level_of(table, cut.tile_of(last)) < level_of(table, tile));
      }
    }
  }
}

}  // namespace terrace::stages
