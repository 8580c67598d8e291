// The description of tables with many dimensions: steps, block shapes of the paper, tiles, types.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "kernels/dp_table/methods.hpp"
#include "kernels/dp_table/table.hpp"

namespace terrace::dp_table {
namespace {

Table table_of(const Extents& extents, std::vector<std::vector<std::int64_t>> steps,
               std::vector<std::int64_t> costs) {
  Table table;
  table.extents = extents;
  table.steps.dimensions = extents.rank();
  for (const auto& step : steps) {
    table.steps.components.insert(table.steps.components.end(), step.begin(), step.end());
  }
  for (const std::int64_t cost : costs) table.steps.real_costs.push_back(static_cast<double>(cost));
  table.steps.whole_costs = std::move(costs);
  table.cut.rows = extents[0];
  return table;
}

struct Printed {
  Extents table;
  int few, many;  // dimensions that are divided
  Extents by_few, by_many;
  bool few_differs = false, many_differs = false;  // true if the rule gives another shape than the one printed
};

// Tables 1 to 6 of chapter 5.
const Printed printed[] = {
    {{6, 4, 6, 6, 4}, 3, 5, {3, 4, 3, 3, 4}, {3, 2, 3, 3, 2}},
    {{2, 6, 3, 4, 6, 4}, 3, 5, {2, 3, 3, 2, 3, 4}, {2, 3, 1, 2, 3, 2}},
    {{2, 2, 4, 3, 2, 6, 3, 2}, 3, 5, {2, 2, 2, 1, 2, 3, 3, 2}, {1, 2, 2, 1, 1, 3, 1, 1}, false, true},
    {{3, 2, 3, 2, 2, 2, 2, 3, 4}, 3, 5, {1, 2, 1, 2, 2, 2, 2, 3, 2}, {1, 1, 1, 2, 2, 2, 2, 1, 2}},
    {{2, 3, 2, 2, 3, 3, 2, 2, 2, 2},
     3,
     5,
     {2, 1, 2, 2, 1, 1, 2, 2, 2, 2},
     {2, 1, 1, 1, 1, 1, 2, 2, 2, 2},
     false,
     true},
    {{5, 3, 6, 3, 4, 4, 2}, 3, 5, {1, 3, 3, 3, 2, 4, 2}, {1, 1, 3, 3, 2, 2, 2}},
    {{5, 6, 2, 3, 2, 2, 4, 3}, 3, 5, {1, 3, 2, 3, 2, 2, 2, 3}, {1, 3, 2, 1, 2, 2, 2, 1}},
    {{3, 3, 4, 3, 2, 2, 5, 2, 2}, 3, 5, {1, 3, 2, 3, 2, 2, 1, 2, 2}, {1, 1, 2, 1, 2, 2, 1, 2, 2}},
    {{3, 16, 15, 18}, 3, 5, {3, 4, 5, 6}, {1, 4, 5, 6}},
    {{4, 5, 3, 6, 4, 3, 3}, 3, 5, {2, 1, 3, 3, 4, 3, 3}, {2, 1, 1, 3, 2, 3, 3}},
    {{3, 4, 3, 4, 3, 5, 3, 2}, 3, 5, {3, 2, 3, 2, 3, 1, 3, 2}, {1, 2, 1, 2, 3, 1, 3, 2}},
    {{3, 3, 3, 2, 3, 4, 2, 5, 2}, 3, 5, {1, 3, 3, 2, 3, 2, 2, 1, 2}, {1, 1, 1, 2, 3, 2, 2, 1, 2}},
    {{4, 4, 6, 6, 2, 3, 3, 2}, 3, 6, {2, 4, 3, 3, 2, 3, 3, 1}, {2, 1, 2, 2, 1, 1, 1, 1}, true, true},
    {{2, 4, 2, 3, 3, 3, 3, 2, 2, 2, 2}, 3, 6, {2, 2, 2, 1, 1, 3, 3, 2, 2, 2, 2}, {1, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2}},
    {{5, 6, 3, 7, 6, 4, 8, 3}, 3, 7, {5, 3, 3, 1, 5, 4, 4, 3}, {1, 3, 1, 1, 3, 2, 4, 3}, true, false},
    {{3, 3, 3, 4, 5, 7, 2, 3, 4, 4},
     3,
     7,
     {3, 3, 3, 2, 1, 1, 2, 3, 4, 4},
     {3, 3, 1, 2, 1, 1, 2, 1, 2, 2},
     false,
     true},
    {{3, 10, 7, 6, 4, 8, 10}, 3, 7, {3, 5, 7, 6, 4, 4, 5}, {1, 5, 1, 3, 2, 4, 5}},
    {{4, 5, 4, 2, 3, 5, 7, 3, 8}, 3, 7, {4, 1, 4, 2, 3, 5, 1, 3, 4}, {2, 1, 2, 2, 1, 1, 1, 3, 4}},
};

TEST_CASE("blocks have the shapes that the paper prints, but for six") {
  int equal = 0;
  for (const Printed& row : printed) {
    INFO(to_string(row.table));
    CHECK((partition_of(row.table, row.few) == row.by_few) == !row.few_differs);
    CHECK((partition_of(row.table, row.many) == row.by_many) == !row.many_differs);
    equal += (partition_of(row.table, row.few) == row.by_few) + (partition_of(row.table, row.many) == row.by_many);
  }
  CHECK(equal == 30);
}

TEST_CASE("steps of a capacity are all vectors of at most that weight that fit the table, in lexicographic order") {
  const StepSet set = *steps_of_capacity({3, 2, 4}, {2, 3, 1}, 4);
  std::vector<std::int64_t> expected;
  for (std::int64_t a = 0; a < 3; ++a) {
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t c = 0; c < 4; ++c) {
        if (a + b + c > 0 && 2 * a + 3 * b + c <= 4) expected.insert(expected.end(), {a, b, c});
      }
    }
  }
  CHECK(set.components == expected);
  CHECK(set.whole_costs == std::vector<std::int64_t>(expected.size() / 3, 1));
  CHECK(steps_of_capacity({2, 2}, {0, 5}, 3)->components == std::vector<std::int64_t>{1, 0});
  CHECK(!steps_of_capacity({2000, 2000}, {0, 0}, 0));
}

TEST_CASE("the narrowest type holds the largest cost times the longest chain, and the value of unreached cells") {
  const auto type = [](Combine combine, std::int64_t extent, std::int64_t step, std::int64_t cost) {
    const Table table = table_of({extent}, {{step}}, {cost});
    CHECK(fits(combine, narrowest_type(combine, table.extents, table.steps, 0), table.extents, table.steps, 0));
    return narrowest_type(combine, table.extents, table.steps, 0);
  };
  using enum ElementType;
  CHECK(type(Combine::min, 255, 1, 1) == u8);
  CHECK(type(Combine::min, 256, 1, 1) == u16);
  CHECK(type(Combine::min, 511, 2, 1) == u16);
  CHECK(type(Combine::min, 510, 2, 1) == u8);
  CHECK(type(Combine::min, 127, 1, -1) == i8);
  CHECK(type(Combine::min, 130, 1, -1) == i16);
  CHECK(type(Combine::max, 128, 1, 1) == i8);
  CHECK(type(Combine::max, 129, 1, 1) == i16);
  CHECK(type(Combine::max, 1000, 1, 3000000) == i64);
  CHECK(type(Combine::any, 1000, 1, 1) == u8);
  const Table table = table_of({10}, {{1}}, {1});
  CHECK(narrowest_type(Combine::count, table.extents, table.steps, 0) == i64);
  CHECK(narrowest_type(Combine::count, table.extents, table.steps, 256) == u8);
  CHECK(narrowest_type(Combine::count, table.extents, table.steps, 257) == u16);
  CHECK(narrowest_type(Combine::count, table.extents, table.steps, 65537) == i32);
  const std::int64_t half = std::int64_t{1} << 62;
  CHECK(fits(Combine::min, i64, {3}, table_of({3}, {{1}}, {half - 1}).steps, 0));
  CHECK(!fits(Combine::min, i64, {3}, table_of({3}, {{1}}, {half}).steps, 0));
  StepSet large = table_of({5}, {{1}}, {1}).steps;
  large.real_costs = {1e38};
  large.whole_costs.clear();
  CHECK(fits(Combine::min, f64, {5}, large, 0));
  CHECK(!fits(Combine::min, f32, {5}, large, 0));
  large.real_costs = {1e308};
  CHECK(fits(Combine::max, f64, {2}, large, 0));
  CHECK(!fits(Combine::max, f64, {5}, large, 0));
  CHECK(!fits(Combine::min, i64, {1 << 30}, table_of({1 << 30}, {{1}}, {std::int64_t{1} << 40}).steps, 0));
}

TEST_CASE("the tiles of a table are its cells in row-major order, and read finished rows alone") {
  Table table = table_of({3, 7, 4}, {{1, 2, 0}, {0, 1, 3}, {2, 0, 1}, {1, 0, 1}, {5, 1, 1}}, {1, 1, 1, 1, 1});
  table.cut = {1, 3};
  const Tiles tiles(table);
  CHECK(tiles.count() == 9);
  CHECK(tiles.shape() == Extents{1, 3, 4});
  CHECK(tiles.row_cells() == 4);
  std::int64_t cells = 0;
  for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
    cells += volume(tiles.box(tile).shape());
    CHECK(tiles.tile_of(tiles.box(tile).begin) == tile);
  }
  CHECK(cells == 3 * 7 * 4);
  const auto sources = sources_of(table);
  REQUIRE(sources.size() == 3);  // the step that fits no cell has none
  CHECK(sources[0].reach == 1);
  CHECK(sources[1].prefix == std::vector<std::int64_t>{1});
  CHECK(sources[1].reach == 2);
  CHECK(sources[2].prefix == std::vector<std::int64_t>{2});
  // Tile 7 has index 2 of the first dimension and rows [3, 6).
  CHECK(tiles.read(7, sources[0], true) == Box{{2, 2, 0}, {3, 3, 4}});
  CHECK(tiles.read(7, sources[1], false) == Box{{1, 1, 0}, {2, 6, 4}});
  CHECK(tiles.read(7, sources[2], false) == Box{{0, 3, 0}, {1, 6, 4}});
  CHECK(volume(tiles.read(1, sources[1], false).shape()) == 0);
}

TEST_CASE("the last reader of a tile, and the tiles that are needed at a time") {
  std::mt19937_64 random(3);
  const auto below = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  for (int n = 0; n < 300; ++n) {
    const int rank = 1 + static_cast<int>(below(4));
    Extents extents;
    for (int d = 0; d < rank; ++d) extents.push_back(1 + below(7));
    std::vector<std::vector<std::int64_t>> steps;
    for (std::int64_t step = below(6); step >= 0; --step) {
      steps.emplace_back();
      for (int d = 0; d < rank; ++d) steps.back().push_back(below(4));
      if (std::count(steps.back().begin(), steps.back().end(), 0) == rank) steps.pop_back();
    }
    Table table = table_of(extents, steps, std::vector<std::int64_t>(steps.size(), 1));
    table.cut.whole = static_cast<int>(below(rank));
    table.cut.rows = 1 + below(extents[table.cut.whole]);
    INFO(to_string(extents) << ", whole " << table.cut.whole << ", rows " << table.cut.rows);
    const Tiles tiles(table);
    const auto sources = sources_of(table);
    std::vector<std::int64_t> last;
    for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
      last.push_back(tile);
      for (std::size_t source = 0; source < sources.size(); ++source) {
        const Box read = tiles.read(tile, sources[source], source == 0);
        if (volume(read.shape()) == 0) continue;
        Extents end = read.end;
        for (int d = 0; d < rank; ++d) --end[d];
        for (std::int64_t used = tiles.tile_of(read.begin); used <= tiles.tile_of(end); ++used) {
          last[static_cast<std::size_t>(used)] = tile;
        }
      }
    }
    std::int64_t most = 0;
    for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
      CHECK(tiles.last_reader(tile, sources) == last[static_cast<std::size_t>(tile)]);
      most = std::max(most, last[static_cast<std::size_t>(tile)] - tile + 1);
    }
    CHECK(most <= tiles.most_live(sources));
    CHECK(tiles.most_live(sources) <= tiles.count());
  }
}

TEST_CASE("a table in another order has the same steps") {
  const Table table = table_of({3, 7, 4}, {{1, 2, 0}, {0, 1, 3}, {2, 0, 1}}, {5, 6, 7});
  const Table ordered = in_order(table, {2, 0, 1});
  CHECK(ordered.extents == Extents{4, 3, 7});
  CHECK(ordered.steps.components == std::vector<std::int64_t>{0, 1, 2, 3, 0, 1, 1, 2, 0});
  CHECK(ordered.steps.whole_costs == table.steps.whole_costs);
}

TEST_CASE("tables have at most 2^62 cells") {
  CHECK(cells_of({std::int64_t{1} << 31, std::int64_t{1} << 31}) == std::int64_t{1} << 62);
  CHECK(!cells_of({std::int64_t{1} << 31, std::int64_t{1} << 31, 2}));
}

TEST_CASE("look-ups of a GPU are bounded by the words that lanes read, of any type") {
  device::Limits limits;
  limits.operations_per_second = 16e12;
  CHECK(look_up_limit(ElementType::u8, device::Backend::cuda, limits) == Approx(8e12));
  CHECK(look_up_limit(ElementType::i64, device::Backend::cuda, limits) == Approx(8e12));
  CHECK(look_up_limit(ElementType::u8, device::Backend::cpu, limits) == Approx(64e12));
}

}  // namespace
}  // namespace terrace::dp_table
