// The window: which block waits for which, folding in order, phases from results, a restored checkpoint.
#include "pipeline/run/executor/window.hpp"

#include <catch2/catch.hpp>

#include <cstring>

#include "pipeline/base/error.hpp"

using namespace terrace;
using run::Access;
using run::Mode;

namespace {

enum class At { only };

/// A plan whose blocks are given; nothing is computed.
class Script : public run::Plan {
 public:
  std::vector<run::ArraySpec> specs;
  std::vector<std::pair<run::Phase, std::vector<run::Block>>> phases;
  std::vector<std::int64_t> waiting;  // phases that depend on results
  mutable std::vector<std::int64_t> made;
  std::vector<int> dealt;  // devices of the blocks of every phase; those beyond its end: the first

  int devices(int available) const override { return available; }
  int device(const run::Phase&, std::int64_t index, int) const override {
    return index < static_cast<std::int64_t>(dealt.size()) ? dealt[static_cast<std::size_t>(index)] : 0;
  }
  const std::vector<run::ArraySpec>& arrays() const override { return specs; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number >= static_cast<std::int64_t>(phases.size())) return std::nullopt;
    made.push_back(number);
    const auto& [phase, blocks] = phases[static_cast<std::size_t>(number)];
    return run::Phase{number, static_cast<std::int64_t>(blocks.size()), phase.order};
  }
  bool depends_on_results(std::int64_t number) const override {
    return std::find(waiting.begin(), waiting.end(), number) != waiting.end();
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override {
    return phases[static_cast<std::size_t>(phase.number)].second[static_cast<std::size_t>(index)];
  }
  std::size_t descriptor_bytes() const override { return 1; }
  std::size_t result_bytes() const override { return 1; }
  std::unique_ptr<run::Worker> make_worker(device::Context&) const override { return nullptr; }
};

class Letters : public run::Tally {
 public:
  void fold(const run::Phase&, std::int64_t, const void* result) override {
    folded += *static_cast<const char*>(result);
  }
  std::string save() const override { return folded; }
  void load(const std::string& state) override { folded = state; }
  std::string folded;
};

/// One array "in" (input) and one "out" (result) of four tiles of ten numbers.
struct Scene {
  Script program;
  Letters tally;
  std::vector<TileGrid> grids;
  run::Versions versions;
  std::unique_ptr<run::Window> window;

  explicit Scene(std::int64_t generations = 1, std::int64_t kept = 2) {
    program.specs = {{"in", run::Role::input, ElementType::u8, {40}, {10}},
                     {"out", run::Role::result, ElementType::u8, {40}, {10}, nullptr, generations, kept}};
    for (const run::ArraySpec& spec : program.specs) grids.emplace_back(spec.shape, spec.tile);
  }
  void phase(std::vector<run::Block> blocks, run::Order order = run::Order::any) {
    run::Phase phase;
    phase.order = order;
    program.phases.push_back({phase, std::move(blocks)});
  }
  run::Window& open(std::int64_t capacity = 100) {
    window = std::make_unique<run::Window>(program, tally, grids, versions, run::Dealing{2, 0}, capacity);
    return *window;
  }
  int unmet(std::int64_t sequence) { return window->at(sequence).unmet; }
  void complete(std::int64_t sequence, const std::string& result = "x") {
    window->complete(window->at(sequence), result);
  }
};

Access reading(int array, std::int64_t generation, std::int64_t begin, std::int64_t end) {
  return {At::only, array, generation, {{begin}, {end}}, Mode::read};
}
Access writing(std::int64_t generation, std::int64_t begin, std::int64_t end) {
  return {At::only, 1, generation, {{begin}, {end}}, Mode::write};
}
Access updating(std::int64_t generation, std::int64_t begin, std::int64_t end) {
  return {At::only, 1, generation, {{begin}, {end}}, Mode::update};
}

}  // namespace

TEST_CASE("A reader waits for exactly the writers of what it reads") {
  Scene scene(2);
  scene.phase({{{reading(0, 0, 0, 5), writing(1, 0, 5)}, 1},
               {{writing(1, 5, 10)}, 1},
               {{writing(1, 10, 20)}, 1},
               {{reading(1, 1, 0, 5), writing(2, 0, 10)}, 1},
               {{reading(1, 1, 4, 12)}, 1}});
  scene.open().extend();
  CHECK(scene.unmet(0) == 0);
  CHECK(scene.unmet(1) == 0);
  CHECK(scene.unmet(2) == 0);
  CHECK(scene.unmet(3) == 1);
  CHECK(scene.unmet(4) == 3);
  scene.complete(0);
  CHECK(scene.unmet(3) == 0);
  CHECK(scene.unmet(4) == 2);
  scene.complete(2);
  scene.complete(1);
  CHECK(scene.unmet(4) == 0);
}

TEST_CASE("Inside a chain the launch orders readers after writers, and between phases the window does") {
  Scene scene(2);
  scene.phase({{{writing(1, 0, 10)}, 1}, {{reading(1, 1, 0, 10), writing(1, 10, 20)}, 1}}, run::Order::chain);
  scene.phase({{{reading(1, 1, 0, 20)}, 1}}, run::Order::chain);
  scene.open().extend();
  CHECK(scene.unmet(1) == 0);
  CHECK(scene.unmet(2) == 2);
}

TEST_CASE("The first write of a later generation waits for the readers of the one that it ends") {
  Scene scene(4);
  scene.phase({{{writing(1, 0, 10)}, 1},
               {{reading(1, 1, 0, 10), writing(2, 0, 10)}, 1},
               {{reading(1, 1, 5, 6)}, 1},
               {{reading(1, 2, 0, 10), writing(3, 0, 10)}, 1}});
  run::Window& window = scene.open();
  window.extend();
  CHECK(scene.unmet(3) == 3);  // the writer and both readers of the first generation, one of them writes the second
  const auto doomed = window.doomed();
  REQUIRE(doomed.size() == 1);
  CHECK(doomed[0] == run::VersionKey{1, 0, 1});
  CHECK(scene.versions.find(doomed[0])->doomed_by == 3);
}

TEST_CASE("An update waits for all who use the generation before it") {
  Scene scene(3, 1);
  scene.phase(
      {{{writing(1, 0, 10)}, 1}, {{reading(1, 1, 0, 3)}, 1}, {{updating(1, 0, 10)}, 1}, {{reading(1, 2, 0, 10)}, 1}});
  scene.open().extend();
  CHECK(scene.unmet(2) == 2);
  CHECK(scene.unmet(3) == 1);
  CHECK(scene.window->at(2).uses[0].version->awaited);
}

TEST_CASE("Accesses that contradict each other are errors that name the block") {
  const auto fails = [](std::vector<run::Block> blocks, const std::string& words) {
    Scene scene(3);
    scene.phase(std::move(blocks));
    run::Window& window = scene.open();
    CHECK_THROWS_WITH(window.extend(), Catch::Contains(words));
  };
  fails({{{reading(1, 1, 0, 10)}, 1}}, "block 0 of phase 0 reads generation 1 of tile 0 of array 1");
  fails({{{{At::only, 0, 0, {{0}, {10}}, Mode::write}}, 1}}, "writes the input 'in'");
  fails({{{writing(1, 0, 6)}, 1}, {{writing(1, 5, 10)}, 1}}, "block 1 of phase 0 writes a part");
  fails({{{writing(1, 0, 10)}, 1}, {{updating(1, 0, 5)}, 1}}, "block 1 of phase 0 updates");
  fails({{{writing(1, 0, 10)}, 1}, {{updating(1, 0, 10)}, 1}, {{updating(1, 0, 10)}, 1}}, "updated before");
}

TEST_CASE("A chain orders readers after writers of the same device alone") {
  Scene scene;
  scene.phase({{{writing(1, 0, 10)}, 1},
               {{reading(1, 1, 0, 10), writing(1, 10, 20)}, 1},
               {{reading(1, 1, 10, 20), writing(1, 20, 30)}, 1},
               {{reading(1, 1, 0, 30)}, 1}},
              run::Order::chain);
  scene.program.dealt = {1, 1, 0, 1};
  scene.open().extend();
  CHECK(scene.unmet(1) == 0);
  CHECK(scene.unmet(2) == 1);  // not on the device of the block that it depends on
  CHECK(scene.unmet(3) == 1);
  scene.complete(0);
  scene.complete(1);
  CHECK(scene.unmet(2) == 0);
  CHECK(scene.unmet(3) == 1);
  scene.complete(2);
  CHECK(scene.unmet(3) == 0);
}

TEST_CASE("In turn, a block may follow those of its device that were started, and others when they have ended") {
  Scene scene(3, 1);
  scene.phase({{{writing(1, 0, 10)}, 1},
               {{updating(1, 0, 10)}, 1},
               {{reading(1, 2, 0, 10), writing(1, 10, 20)}, 1},
               {{reading(1, 2, 0, 10), writing(1, 20, 30)}, 1}},
              run::Order::in_turn);
  scene.program.dealt = {0, 0, 0, 1};
  run::Window& window = scene.open(3);
  window.extend();
  CHECK(scene.unmet(1) == 1);
  window.begin_in_launch(window.at(0));
  CHECK(scene.unmet(1) == 0);
  CHECK(scene.unmet(2) == 1);
  window.begin_in_launch(window.at(1));
  CHECK(scene.unmet(2) == 0);
  window.withdraw_from_launch(window.at(1));
  window.withdraw_from_launch(window.at(0));
  CHECK(scene.unmet(1) == 1);
  CHECK(scene.unmet(2) == 1);
  window.begin_in_launch(window.at(0));
  window.begin_in_launch(window.at(1));
  scene.complete(0);
  CHECK(scene.unmet(1) == 0);
  window.advance();
  window.extend();  // registers the last block, whose predecessor is in flight
  CHECK(scene.unmet(2) == 0);
  CHECK(scene.unmet(3) == 1);
  scene.complete(1);
  CHECK(scene.unmet(3) == 0);
}

TEST_CASE("A contiguous access waits for the ends of writers, in a chain and in turn, too") {
  for (const run::Order order : {run::Order::chain, run::Order::in_turn}) {
    Scene scene;
    Access halo = reading(1, 1, 5, 15);
    halo.view = run::View::contiguous;
    scene.phase({{{writing(1, 0, 10)}, 1}, {{writing(1, 10, 20)}, 1}, {{halo}, 1}}, order);
    run::Window& window = scene.open();
    window.extend();
    if (order == run::Order::in_turn) window.begin_in_launch(window.at(0));
    CHECK(scene.unmet(2) == 2);
    scene.complete(0);
    scene.complete(1);
    CHECK(scene.unmet(2) == 0);
    REQUIRE(window.at(2).assemblies.size() == 1);
    CHECK(window.at(2).assemblies[0].box == Box{{5}, {15}});
  }
}

TEST_CASE("A block that is dealt to a device that there is not is an error") {
  Scene scene;
  scene.phase({{{writing(1, 0, 10)}, 1}});
  scene.program.dealt = {2};
  run::Window& window = scene.open();
  CHECK_THROWS_WITH(window.extend(), "block 0 of phase 0 is dealt to device 2 of 2");
}

TEST_CASE("Results are folded in the order of blocks, whatever the order in which they end") {
  Scene scene;
  scene.phase({{{}, 1}, {{}, 1}, {{}, 1}, {{}, 1}});
  run::Window& window = scene.open(3);
  window.extend();
  CHECK(window.end() == 3);
  scene.complete(2, "c");
  window.advance();
  CHECK(scene.tally.folded.empty());
  CHECK(window.done().ranges() == std::map<std::int64_t, std::int64_t>{{2, 3}});
  CHECK(window.results() == std::map<std::int64_t, std::string>{{2, "c"}});
  scene.complete(0, "a");
  window.advance();
  CHECK(window.frontier() == 1);
  window.extend();
  CHECK(window.end() == 4);
  scene.complete(1, "b");
  scene.complete(3, "d");
  window.advance();
  window.extend();
  CHECK(scene.tally.folded == "abcd");
  CHECK(window.finished());
}

TEST_CASE("A phase that depends on results is made when all blocks before it are folded") {
  Scene scene;
  scene.phase({{{}, 1}, {{}, 1}});
  scene.phase({{{}, 1}});
  scene.program.waiting = {1};
  run::Window& window = scene.open();
  window.extend();
  CHECK(window.end() == 2);
  CHECK_FALSE(window.end_is_known());
  scene.complete(0);
  window.advance();
  window.extend();
  CHECK(window.end() == 2);
  scene.complete(1);
  window.advance();
  window.extend();
  CHECK(window.end() == 3);
  CHECK(scene.program.made == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("A window goes on from a checkpoint: phases are not made again, done blocks neither declared nor run") {
  Scene scene(2);
  scene.phase({{{writing(1, 0, 10)}, 1}, {{writing(1, 10, 20)}, 1}});
  scene.phase({{{reading(1, 1, 0, 10), writing(2, 0, 10)}, 1}, {{reading(1, 1, 10, 20), writing(2, 10, 20)}, 1}});
  run::Phase second;
  second.number = 1;
  second.count = 2;
  run::Intervals done;
  done.add(3, 4);
  scene.versions.put_aside({1, 0, 1}, {4, 99, 10, 0});
  run::Window& window = scene.open();
  window.restore({{2, second}}, 2, done, {{3, "d"}});
  window.extend();
  CHECK(scene.program.made.empty());
  CHECK(window.frontier() == 2);
  REQUIRE(window.end() == 4);
  CHECK(window.at(3).step == run::BlockStep::done);
  CHECK(window.at(3).uses.empty());
  run::BlockState& block = window.at(2);
  CHECK(block.unmet == 0);
  CHECK(block.uses[0].version->slot == 4);
  CHECK(block.uses[0].version->checksum == 99);
  CHECK(block.uses[0].version->complete());
  window.complete(block, "c");
  window.advance();
  window.extend();
  CHECK(scene.tally.folded == "cd");
  CHECK(window.finished());
}

TEST_CASE("A part of a tile that an earlier attempt wrote stays; the rest is written beside it") {
  Scene scene;
  scene.phase({{{writing(1, 0, 4)}, 1}, {{writing(1, 4, 10)}, 1}});
  run::Phase phase;
  phase.count = 2;
  run::Intervals done;
  done.add(1, 2);
  scene.versions.put_aside({1, 0, 1}, {run::home_slot, 0, 6, 0});
  run::Window& window = scene.open();
  window.restore({{0, phase}}, 0, done, {{1, "b"}});
  window.extend();
  run::Version& version = *window.at(0).uses[0].version;
  CHECK(version.on_disk());
  CHECK(version.filled == 6);
  window.complete(window.at(0), "a");
  CHECK(version.complete());
}
