// Tables of a search: their cut, their place in arrays that every round writes anew, and how phases record it.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "pipeline/base/error.hpp"
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

TEST_CASE("the first dimensions are cut, as few as it takes") {
  CHECK(dimensions_cut({4, 3, 5}, 60) == 0);
  CHECK(dimensions_cut({4, 3, 5}, 59) == 1);
  CHECK(dimensions_cut({4, 3, 5}, 15) == 1);
  CHECK(dimensions_cut({4, 3, 5}, 14) == 2);
  CHECK(dimensions_cut({4, 3, 5}, 4) == 3);
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
