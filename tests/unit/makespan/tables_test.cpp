// Tables of a search: their cut, their place in arrays that every round writes anew, and how phases record it.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "kernels/dp_table/kernels.hpp"
#include "kernels/dp_table/methods.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/block_memory.hpp"
#include "stages/dp_table/seconds.hpp"
#include "stages/makespan/plan.hpp"
#include "stages/makespan/tables.hpp"
#include "stages/makespan/tally.hpp"

namespace terrace::stages {
namespace {

Instance random_instance(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Instance instance{{}, 16};
  for (int job = 0; job < 36; ++job) instance.times.push_back(static_cast<std::int64_t>(40 + random() % 60));
  return instance;
}

SearchDefinition definition_of(const Instance& instance, std::int64_t k, std::int64_t probes, std::size_t memory) {
  SearchDefinition search;
  search.instance = instance;
  search.k = k;
  search.probes = probes;
  search.lower = instance.least_makespan();
  search.upper = instance.most_makespan();
  Resources resources;
  resources.host_budget = resources.device_budget = memory;
  const Rounding rounding(instance, k);
  const CutChoice choice =
      choose_search_cut({rounding, search.lower, search.upper, search.type, instance.machines, probes}, resources);
  REQUIRE(choice.cut);
  search.cut = *choice.cut;
  return search;
}

}  // namespace

TEST_CASE("the first dimensions are cut, as few as it takes, and the next one into ranges no shorter than a step") {
  // Up to the target 20, a machine takes 2 jobs of the first size, 4 of the second, 6 of the third.
  RoundedJobs jobs;
  jobs.sizes = {9, 5, 3};
  jobs.jobs = {{0, 1, 2}, {3, 4, 5, 6, 7, 8, 9, 10, 11}, {12, 13, 14}};
  jobs.last = 20;
  REQUIRE(jobs.extents() == Extents{4, 10, 4});
  std::vector<std::pair<int, std::int64_t>> cuts;
  for (const dp_table::Cut& cut : cuts_of(jobs)) cuts.emplace_back(cut.whole, cut.rows);
  CHECK(cuts == std::vector<std::pair<int, std::int64_t>>{{0, 4}, {0, 2}, {1, 10}, {1, 5}, {1, 4}, {2, 4}});
  const auto rows_with = [&](std::int64_t cells) { return cut_of(jobs, cells)->rows; };
  CHECK(rows_with(160) == 4);
  CHECK(rows_with(159) == 2);
  CHECK(cut_of(jobs, 79)->whole == 1);
  CHECK(rows_with(39) == 5);
  CHECK(rows_with(19) == 4);
  CHECK(cut_of(jobs, 15)->whole == 2);
  CHECK(!cut_of(jobs, 3));
}

namespace {

/// A cut with tiles of so many cells, from the tables of all targets; nullopt: a table has no such tiles.
std::optional<SearchCut> plain_cut(const SearchTables& tables, std::int64_t tile_cells) {
  SearchCut cut{tile_cells};
  for (std::int64_t target = tables.lower; target <= tables.upper; ++target) {
    const RoundedJobs jobs = tables.rounding.jobs(target);
    auto table = table_of(jobs, target, tables.type, tables.machines);
    const auto tile = cut_of(jobs, tile_cells);
    if (!tile) return std::nullopt;
    table->cut = *tile;
    const dp_table::Tiles tiles(*table);
    const auto all = dp_table::sources_of(*table);
    if (all.size() > static_cast<std::size_t>(dp_table::most_sources)) return std::nullopt;
    auto sources = static_cast<std::int64_t>(all.size()) - 1;
    for (const auto& source : all) sources += tiles.ranges() > 1 && source.reach > 0;
    cut.tiles = std::max(cut.tiles, tiles.count());
    cut.sources = std::max(cut.sources, sources);
  }
  return cut;
}

}  // namespace

TEST_CASE("tables are cut into the fewest tiles of which memory holds a block, or twice as many") {
  const Instance instance = random_instance(4);
  const Rounding rounding(instance, 4);
  const SearchTables tables{rounding, instance.least_makespan(), instance.most_makespan(), ElementType::u8, 16, 2};
  std::set<std::int64_t> sizes;
  for (std::int64_t target = tables.lower; target <= tables.upper; ++target) {
    const RoundedJobs jobs = rounding.jobs(target);
    dp_table::Table table;
    table.extents = jobs.extents();
    for (const dp_table::Cut& cut : cuts_of(jobs)) {
      table.cut = cut;
      sizes.insert(volume(dp_table::Tiles(table).shape()));
    }
  }
  std::vector<SearchCut> cuts;
  for (const std::int64_t cells : sizes) {
    if (const auto cut = plain_cut(tables, cells)) cuts.push_back(*cut);
  }
  std::set<std::int64_t> found;
  for (std::size_t memory = 16 << 10; memory < std::size_t{1} << 24; memory += memory / 8) {
    Resources resources;
    resources.host_budget = resources.device_budget = memory;
    std::int64_t fewest = 0;
    for (const SearchCut& cut : cuts) {
      if (cut.block_bytes(tables.type) + page_bytes > static_cast<std::int64_t>(memory)) continue;
      if (fewest == 0 || cut.tiles < fewest) fewest = cut.tiles;
    }
    const CutChoice choice = choose_search_cut(tables, resources);
    CAPTURE(memory, fewest);
    REQUIRE(choice.cut.has_value() == (fewest > 0));
    if (!choice.cut) continue;
    CHECK(choice.cut->block_bytes(tables.type) < static_cast<std::int64_t>(memory));
    CHECK(choice.cut->tiles >= fewest);
    CHECK(choice.cut->tiles <= 2 * fewest);
    const auto plain = plain_cut(tables, choice.cut->tile_cells);
    REQUIRE(plain);
    CHECK(choice.cut->tiles == plain->tiles);
    CHECK(choice.cut->sources == plain->sources);
    found.insert(choice.cut->tiles);
  }
  CHECK(found.size() > 4);
  CHECK(found.count(1) == 1);
}

TEST_CASE("on CUDA tiles take the least time, with copies that wait where memory holds one block") {
  if (dp_table::table_cuda_methods().empty()) return;
  Instance instance{{}, 50};
  for (const auto& [count, time] : std::vector<std::pair<int, std::int64_t>>{
           {10, 468}, {16, 429}, {20, 390}, {10, 351}, {14, 312}, {19, 273}, {14, 234}, {14, 200}, {105, 98}}) {
    instance.times.insert(instance.times.end(), static_cast<std::size_t>(count), time);
  }
  const Rounding rounding(instance, 5);
  const SearchTables tables{rounding, 977, 980, ElementType::u8, instance.machines, 4};
  const RoundedJobs jobs = rounding.jobs(977);
  REQUIRE(jobs.extents() == Extents{11, 17, 21, 11, 15, 20, 15, 15});
  std::set<std::int64_t> beside;  // sizes of tiles of which memory held two blocks
  for (const std::size_t mebibytes : {64, 128, 192, 256, 384, 512, 1024}) {
    Resources resources;
    resources.cuda = true;
    resources.host_budget = std::size_t{64} << 30;
    resources.device_budget = mebibytes << 20;
    double least = 0;
    std::int64_t best = 0;
    for (const dp_table::Cut& cut : cuts_of(jobs)) {
      const auto table = sized_table(jobs, 977, tables.type, tables.machines, cut, true)->table;
      const std::int64_t cells = volume(dp_table::Tiles(table).shape());
      const auto plain = plain_cut(tables, cells);
      const auto workspace = 4 * static_cast<std::int64_t>(dp_table::tables_cuda_bytes({table}));
      if (!plain || !holds(resources, {plain->block_bytes(tables.type), workspace, cells})) continue;
      const TableTraffic traffic = table_traffic(table, cells, resources.device_budget);
      const double making = table_seconds(table, false, resources),
                   moving = std::max(traffic.up, traffic.down) / 50e9;
      const bool waits = !moves_beside(table, cells, workspace, resources);
      const double time = waits ? making + moving : std::max(making, moving);
      if (best == 0 || time < least) least = time, best = cells;
      if (best == cells && !waits) beside.insert(cells);
    }
    const CutChoice choice = choose_search_cut(tables, resources);
    CAPTURE(mebibytes, least);
    REQUIRE(choice.cut);
    CHECK(choice.cut->ordered);
    CHECK(choice.cut->tile_cells == best);
  }
  CHECK(beside.count(31'185'000) == 1);
}

TEST_CASE("memory holds two blocks of tiles") {
  // In ranges a block has two tiles of its own prefix and two of the one before; the next one adds one of each.
  dp_table::Table table;
  table.extents = {4, 8, 5};
  table.steps = *dp_table::steps_of_capacity(table.extents, {1, 1, 1}, 2);
  const std::int64_t cells = 3 * page_bytes;
  const auto least = [&](const dp_table::Cut& cut) {
    table.cut = cut;
    std::int64_t tiles = 1;
    Resources resources;
    resources.cuda = true;
    resources.host_budget = 1 << 30;
    while (resources.device_budget = static_cast<std::size_t>(page_bytes + 7 + tiles * cells),
           !moves_beside(table, cells, 7, resources)) {
      ++tiles;
    }
    return tiles;
  };
  CHECK(least({0, 2}) == 3);
  CHECK(least({1, 4}) == 5 + 3);
  CHECK(least({1, 8}) == 3 + 1);
  CHECK(least({2, 5}) == 6 + 3);
}

TEST_CASE("configurations are counted as steps are made") {
  const Extents extents{4, 3, 5, 2};
  const std::vector<std::int64_t> sizes{9, 7, 4, 3};
  for (std::int64_t target = 0; target < 60; ++target) {
    const auto steps = dp_table::steps_of_capacity(extents, sizes, target);
    CHECK(configurations(extents, sizes, 4, target, 1000) == steps->count());
    CHECK(configurations(extents, sizes, 4, target, 10) == std::min<std::int64_t>(10, steps->count()));
    CHECK(configurations(extents, sizes, 0, target, 10) == 0);
  }
}

TEST_CASE("outcomes are packed into a phase and come back") {
  std::mt19937_64 random(7);
  for (const std::int64_t probes : {1, 2, 4, 9, 64}) {
    const std::int64_t most = probes == 1 ? 60 : 40;
    for (std::int64_t rounds = 0; rounds <= most; ++rounds) {
      Outcomes outcomes;
      for (std::int64_t n = 0; n < rounds; ++n) {
        outcomes.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(probes + 1)));
      }
      SearchPhase phase{};
      phase.pack(outcomes, probes);
      CHECK(phase.outcomes(probes) == outcomes);
    }
    SearchPhase phase{};
    CHECK_THROWS_AS(phase.pack(Outcomes(1000), probes), Error);
  }
}

TEST_CASE("every tile's generations follow one another, and what is read was written in the same phase") {
  std::mt19937_64 random(8);
  for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{100'000}}) {
    for (int n = 0; n < 12; ++n) {
      const MakespanPlan plan(definition_of(random_instance(4), 4, 1 + n % 5, memory), true);
      if (memory < 1 << 20) CHECK(plan.definition().cut.tiles > 1);
      Outcomes outcomes;
      std::map<std::pair<int, std::int64_t>, std::int64_t> last;
      const auto run_phase = [&](SearchStep step) {
        SearchPhase value{};
        value.pack(outcomes, plan.definition().probes);
        value.step = static_cast<std::int64_t>(step);
        run::Phase phase{0, 0, run::Order::in_turn, value};
        phase.count = plan.tables_of(phase)->blocks;
        std::map<std::pair<int, std::int64_t>, Box> written;
        std::size_t live = 0;
        for (std::int64_t index = 0; index < phase.count; ++index) {
          const run::Block block = plan.block(phase, index);
          CHECK(static_cast<std::int64_t>(block.accesses.size()) <= plan.definition().cut.sources + 1);
          const std::int64_t probe = plan.tables_of(phase)->of_block(index).target;
          for (const run::Access& access : block.accesses) {
            const std::int64_t tile = access.box.begin[0] / plan.definition().cut.tile_cells;
            const std::pair key{access.array, tile};
            REQUIRE(access.box.end[0] <= (tile + 1) * plan.definition().cut.tile_cells);
            if (access.mode == run::Mode::write) {
              CHECK(access.generation == ++last[key]);
              written[key] = access.box;
            } else {
              CHECK(access.generation == last[key]);
              REQUIRE(written.count(key) == 1);
              CHECK(contains(written[key], access.box));
            }
          }
          // Dropped tiles are not read again: `written` no longer has them.
          INFO("target " << probe);
          for (const run::TileGeneration& dropped : block.last_uses) {
            CHECK(written.erase({dropped.array, dropped.box.begin[0] / plan.definition().cut.tile_cells}) == 1);
          }
          if (step == SearchStep::round) live = std::max(live, written.size());
        }
        const SearchCut& cut = plan.definition().cut;
        if (step == SearchStep::round && !cut.stays()) {
          CHECK(written.empty());
          CHECK(static_cast<std::int64_t>(live) <= cut.live);
          CHECK(cut.live <= cut.tiles);
        }
        if (step == SearchStep::end) CHECK(static_cast<std::int64_t>(written.size()) == phase.count);
      };
      while (!plan.tables().search(outcomes).done()) {
        run_phase(SearchStep::round);
        const auto tables = static_cast<std::uint64_t>(plan.tables().tables_of(plan.tables().search(outcomes)));
        outcomes.push_back(static_cast<std::int64_t>(random() % (tables + 1)));
      }
      run_phase(SearchStep::end);
    }
  }
}

TEST_CASE("a tally comes back as it was saved") {
  const MakespanPlan plan(definition_of(random_instance(4), 4, 4, std::size_t{1} << 30), true);
  MakespanTally tally(plan), again(plan);
  const auto phase = plan.phase(0, tally);
  REQUIRE(phase);
  for (std::int64_t index = 0; index < phase->count; ++index) {
    dp_table::TableResult result{};
    result.last = index < 2 ? 17 : 16;
    tally.fold(*phase, index, &result);
  }
  CHECK(tally.findings().outcomes == Outcomes{2});
  CHECK(tally.findings().tables.size() == 4);
  CHECK(!tally.findings().tables[1].feasible);
  CHECK(tally.findings().tables[2].feasible);
  again.load(tally.save());
  CHECK(again.save() == tally.save());
  CHECK(again.findings().outcomes == Outcomes{2});
}

TEST_CASE("tables that do not fit are refused with the reason") {
  const Instance instance = random_instance(4);
  const Rounding rounding(instance, 4);
  const SearchTables tables{rounding, instance.least_makespan(), instance.most_makespan(), ElementType::u8, 16, 4};
  Resources resources;
  resources.host_budget = resources.device_budget = 1 << 20;
  CHECK(choose_search_cut(tables, resources).cut);
  resources.scratch_space = 100'000;
  CHECK(choose_search_cut(tables, resources).fault.find("scratch space") != std::string::npos);
  resources.scratch_space = 1 << 30;
  resources.host_budget = resources.device_budget = 6000;
  CHECK(!choose_search_cut(tables, resources).cut);
}

}  // namespace terrace::stages
