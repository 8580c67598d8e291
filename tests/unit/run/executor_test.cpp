// The executor on made-up stages: passes, updates, chains, phases from results, checkpoints, flat memory.
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <numeric>
#include <span>
#include <thread>

#include "io/files/checksum.hpp"
#include "pipeline/base/error.hpp"
#include "tests/support/grid_chain.hpp"
#include "tests/support/stage_runner.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/toy_programs.hpp"

using namespace terrace;
using test::At;
using test::u64;

namespace {

constexpr std::size_t page = 4096;

test::RunnerOptions options_of(bool shares, std::size_t pages, int pause, std::uint32_t seed = 1) {
  test::RunnerOptions options;
  options.shares_host_memory = shares;
  options.host_bytes = pages * page;
  options.device_bytes = pages * page;
  options.longest_pause = pause;
  options.seed = seed;
  return options;
}

/// Updates of one tile many times; the input of the last block is another.
class WaitingUpdates : public test::ToyProgram {
 public:
  struct Source : test::CountingSource {
    using CountingSource::CountingSource;
    std::atomic<bool> asked = false;  // for the second tile
    void read(const Box& box, void* buffer) override {
      if (box.begin[0] > 0) asked = true;
      CountingSource::read(box, buffer);
    }
  };
  static constexpr std::int64_t updates = 100;
  std::shared_ptr<Source> source = std::make_shared<Source>(Extents{1024});
  bool read_meanwhile = false;

  WaitingUpdates() {
    arrays_.resize(2);
    arrays_[0] = {"start", run::Role::input, ElementType::u64, {1024}, {512}, source};
    arrays_[1] = {"sums", run::Role::result, ElementType::u64, {512}, {512}, nullptr, updates, 1};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    return number > 0 ? std::nullopt : std::optional(run::Phase{number, updates});
  }
  run::Block block(const run::Phase&, std::int64_t index) const override {
    const Box all{{0}, {512}}, other{{512}, {1024}};
    if (index == 0) return {{{At::first, 1, 1, all, run::Mode::write}, {At::second, 0, 0, all, run::Mode::read}}, 1};
    if (index + 1 < updates) return {{{At::first, 1, index, all, run::Mode::update}}, 1};
    return {{{At::first, 1, index, all, run::Mode::update}, {At::second, 0, 0, other, run::Mode::read}}, 1};
  }

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    u64* sums = d.at(At::first);
    const u64* in = d.at(At::second);
    for (std::int64_t i = 0; i < 512; ++i)
      sums[i] = in == nullptr ? sums[i] + 1 : d.index == 0 ? in[i] : sums[i] * in[i];
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (d.index == 1 && !source->asked && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    if (d.index == 1) read_meanwhile = source->asked;
    *result = 0;
    return true;
  }
};

/// Numbers of which each is made of two before it, one a tile: 3 x[i - 1] + x[i - reach]. Of the scratch array `row`
/// only the tiles that later blocks read are kept; every block also gives its number to the result.
class DroppedTiles : public test::ToyProgram {
 public:
  static constexpr std::int64_t reach = 5, count = 300;

  explicit DroppedTiles(std::int64_t slots, run::Order order = run::Order::in_turn) : order_(order) {
    arrays_.resize(2);
    arrays_[0] = {"row", run::Role::scratch, ElementType::u64, {count * 512}, {512}, nullptr, 1, 1};
    arrays_[0].live = reach + 1;
    arrays_[0].slots = slots;
    arrays_[1] = {"numbers", run::Role::result, ElementType::u64, {count}, {1}};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    return number > 0 ? std::nullopt : std::optional(run::Phase{number, count, order_});
  }
  run::Block block(const run::Phase&, std::int64_t index) const override {
    run::Block block;
    block.operations = 1;
    block.accesses = {{At::first, 0, 1, tile(index), run::Mode::write},
                      {At::second, 1, 1, {{index}, {index + 1}}, run::Mode::write}};
    if (index > 0) block.accesses.push_back({At::third, 0, 1, tile(index - 1), run::Mode::read});
    if (index < reach) return block;
    block.accesses.push_back({At::fourth, 0, 1, tile(index - reach), run::Mode::read});
    block.last_uses = {{0, 1, tile(index - reach)}};
    return block;
  }
  static std::vector<u64> expected() {
    std::vector<u64> x;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = [&](std::int64_t n) { return n < 0 ? u64{0} : x[static_cast<std::size_t>(n)]; };
      x.push_back(3 * at(i - 1) + at(i - reach) + 1);
    }
    return x;
  }

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    const u64 *before = d.at(At::third), *far = d.at(At::fourth);
    u64* here = d.at(At::first);
    for (int i = 0; i < 512; ++i) here[i] = 3 * (before ? before[i] : 0) + (far ? far[i] : 0) + 1;
    *d.at(At::second) = *result = here[511];
    if (d.index % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
    return true;
  }

 private:
  static Box tile(std::int64_t index) { return {{index * 512}, {(index + 1) * 512}}; }
  run::Order order_;
};

/// A tile a block; what a fold finds ends the stage, and a stage that ends sooner makes fewer entries.
class FoundByFold : public test::ToyProgram {
 public:
  static constexpr std::int64_t count = 40;

  /// @param fault of the fold of that block; -1: none @param made entries; the others are not written
  FoundByFold(std::int64_t fault, std::int64_t made) : at_(fault), made_(made) {
    arrays_.resize(1);
    arrays_[0] = {"numbers", run::Role::result, ElementType::u64, {count, 512}, {1, 512}};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    return number > 0 ? std::nullopt : std::optional(run::Phase{number, made_, run::Order::in_turn});
  }
  run::Block block(const run::Phase&, std::int64_t index) const override {
    return {{{At::first, 0, 1, {{index, 0}, {index + 1, 512}}, run::Mode::write}}, 1};
  }
  std::int64_t entries(int, const run::Tally&) const override { return made_; }
  void fold(const run::Phase& phase, std::int64_t index, const void* result) override {
    ToyProgram::fold(phase, index, result);
    if (index == at_) fault_ = "block " + std::to_string(index) + " is wrong";
  }
  std::string fault() const override { return fault_; }
  std::string save() const override { return ToyProgram::save() + " " + fault_; }
  void load(const std::string& state) override {
    ToyProgram::load(state);
    fault_ = state.substr(state.find(' ') + 1);
  }

  int computed = 0;

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    std::fill_n(d.at(At::first), 512, static_cast<u64>(d.index) + 1);
    *result = 0;
    ++computed;
    return true;
  }

 private:
  std::int64_t at_, made_;
  std::string fault_;
};

/// All tiles of a list of numbers are written, and then it turns out how many of these are the result.
class FoundEnd : public test::ToyProgram {
 public:
  static constexpr std::int64_t count = 5, rows = 4;

  explicit FoundEnd(std::int64_t made) : made_(made) {
    arrays_.resize(1);
    arrays_[0] = {"numbers", run::Role::result, ElementType::u64, {count * rows, 128}, {rows, 128}};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    return number > 0 ? std::nullopt : std::optional(run::Phase{number, count, run::Order::in_turn});
  }
  run::Block block(const run::Phase&, std::int64_t index) const override {
    return {{{At::first, 0, 1, {{index * rows, 0}, {(index + 1) * rows, 128}}, run::Mode::write}}, 1};
  }
  std::int64_t entries(int, const run::Tally&) const override { return made_; }

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    std::iota(d.at(At::first), d.at(At::first) + rows * 128, static_cast<u64>(d.index * rows * 128));
    *result = 0;
    return true;
  }

 private:
  std::int64_t made_;
};

}  // namespace

TEST_CASE("A fault that a fold finds ends the run after a checkpoint, and later attempts at once") {
  for (const bool shares : {true, false}) {
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{7}, FoundByFold::count - 1}) {
      const test::TempFolder folder;
      FoundByFold program(at, FoundByFold::count);
      test::StageRunner runner(folder.path(), program, options_of(shares, 12, 20));
      CHECK_THROWS_WITH(runner.run(), "block " + std::to_string(at) + " is wrong");
      CHECK(program.computed > at);
      const std::vector<u64> numbers = runner.result<u64>(0);
      for (std::int64_t i = 0; i <= at; ++i)
        CHECK(numbers[static_cast<std::size_t>(i * 512)] == static_cast<u64>(i) + 1);
      FoundByFold later(-1, FoundByFold::count);
      CHECK_THROWS_AS(test::StageRunner(folder.path(), later, options_of(shares, 12, 20)).run(), ComputeError);
      CHECK(later.computed == 0);
    }
  }
}

TEST_CASE("A stage may end before all entries of a result are made") {
  const test::TempFolder folder;
  FoundByFold program(-1, 9);
  test::StageRunner runner(folder.path(), program, options_of(true, 12, 20));
  runner.run();
  CHECK(program.computed == 9);
  CHECK(runner.result<u64>(0)[8 * 512 + 3] == 9);
}

TEST_CASE("The tiles of a result that ends within a tile are named as the result has them") {
  for (const bool shares : {true, false}) {
    for (const std::int64_t made : {0, 1, 4, 11, 12, 19, 20}) {
      const test::TempFolder folder;
      FoundEnd program(made);
      test::StageRunner runner(folder.path(), program, options_of(shares, 12, 20));
      runner.run();
      const std::vector<u64> numbers = runner.result<u64>(0);
      std::vector<std::uint64_t> expected;
      for (std::int64_t row = 0; row < made; row += FoundEnd::rows) {
        const auto first = std::span(numbers).subspan(static_cast<std::size_t>(row * 128));
        const auto size = static_cast<std::size_t>(std::min(FoundEnd::rows, made - row) * 128);
        expected.push_back(io::checksum(std::as_bytes(first.first(size))));
      }
      auto named = run::Ledger::read(folder.path() / "ledger").completed.at(0).tiles;
      INFO("shares " << shares << ", made " << made);
      CHECK(named[0] == expected);
    }
  }
}

TEST_CASE("Tiles that no later block reads are dropped, and need few slots on disk, also over stops") {
  for (const bool shares : {true, false}) {
    for (const std::size_t pages : {6, 9, 60}) {
      for (const run::Order order : {run::Order::in_turn, run::Order::any}) {
        test::TempFolder folder;
        INFO("shares " << shares << ", pages " << pages << ", in turn " << (order == run::Order::in_turn));
        u64 folded = 0;
        bool ended = false;
        for (int attempt = 0; !ended && attempt < 200; ++attempt) {
          DroppedTiles program(2 * (DroppedTiles::reach + 1) + 4, order);
          std::atomic<int> stop = 0;
          auto options = options_of(shares, pages, 20, 1 + static_cast<std::uint32_t>(attempt));
          options.checkpoint_seconds = 0.002;
          options.stop = &stop;
          test::StageRunner runner(folder.path(), program, options);
          std::thread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(3 + 3 * attempt));
            stop = attempt < 8 ? 1 : 0;
          });
          try {
            runner.run();
            ended = true;
            folded = program.folded;
            if (attempt > 0) CHECK(runner.result<u64>(1) == DroppedTiles::expected());
          } catch (const Stopped&) {
          }
          stopper.join();
        }
        CHECK(ended);
        u64 expected = 0;
        for (const u64 value : DroppedTiles::expected()) expected = expected * 31 + value;
        CHECK(folded == expected);
      }
    }
  }
}

TEST_CASE("Passes into the next generation come out right with periodic wraps, shifted blocks and partial tiles") {
  for (const bool shares : {true, false}) {
    for (const std::size_t pages : {7, 9, 40}) {
      test::TempFolder folder;
      // Tiles of one page; blocks of 700 numbers lie across two or three tiles; the last tile is partial.
      test::PeriodicPasses program(512 * 6 + 100, 512, 700, 5);
      test::StageRunner runner(folder.path(), program, options_of(shares, pages, 50));
      INFO("shares " << shares << ", pages " << pages);
      runner.run();
      CHECK(runner.result<u64>(1) == program.expected());
      CHECK(runner.peak_host <= pages * page);
      CHECK(runner.peak_device <= pages * page);
    }
  }
}

TEST_CASE("Updates in place come out right when the memory holds only the largest block and one tile more") {
  for (const bool shares : {true, false}) {
    for (const std::size_t pages : {3, 5, 100}) {
      test::TempFolder folder;
      test::InPlaceUpdates program(7, 512, 33);
      test::StageRunner runner(folder.path(), program, options_of(shares, pages, 30));
      INFO("shares " << shares << ", pages " << pages);
      runner.run();
      CHECK(runner.result<u64>(1) == program.expected());
    }
  }
}

TEST_CASE("A chain is fed and drained while it runs") {
  for (const bool shares : {true, false}) {
    for (const std::int64_t in_flight : {1, 3}) {
      test::TempFolder folder;
      test::PrefixChain program(512 * 40 + 7, 512, in_flight);
      test::StageRunner runner(folder.path(), program, options_of(shares, 16, 100));
      runner.run();
      CHECK(runner.result<u64>(1) == program.expected());
      CHECK(program.folded != 0);
    }
  }
}

TEST_CASE(
    "A chain in the least memory that holds a block and its carries does not wait for what only its end gives") {
  for (const std::size_t host_pages : {9, 10, 17}) {
    for (const std::size_t device_pages : {17, 20}) {
      INFO("pages: host " << host_pages << ", device " << device_pages);
      test::TempFolder folder;
      // A block's part of the table takes four pages, everything else of it one each.
      test::GridChain program(10, 10, 32, 64, 3);
      std::atomic<int> stop = 0;
      auto options = options_of(false, device_pages, 0);
      options.host_bytes = host_pages * page;
      options.stop = &stop;
      test::StageRunner runner(folder.path(), program, options);
      // It takes 0.1 s. A standstill is found only after 0.2 s: with one at every block it would take 20 s.
      std::atomic<bool> over = false;
      std::thread stopper([&] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!over && std::chrono::steady_clock::now() < end) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (!over) stop = 1;
      });
      CHECK_NOTHROW(runner.run());
      over = true;
      stopper.join();
      CHECK((runner.result<u64>(4) == program.expected()));  // without the numbers
      CHECK(runner.peak_host <= host_pages * page);
      CHECK(runner.peak_device <= device_pages * page);
    }
  }
}

TEST_CASE("What a pass leaves for the next stays in a host memory that holds it, and else goes to disk and back") {
  constexpr std::int64_t tiles = 60, passes = 4;
  for (const std::size_t host_pages : {8, 20, 80}) {
    test::TempFolder folder;
    test::ChainPasses program(512 * (tiles - 1) + 7, 512, passes);
    auto options = options_of(false, 9, 0);
    options.host_bytes = host_pages * page;
    test::StageRunner runner(folder.path(), program, options);
    runner.run();
    INFO("host pages " << host_pages);
    CHECK(runner.result<u64>(1) == program.expected());
    CHECK(runner.peak_host <= host_pages * page);
    CHECK(runner.peak_device <= 9 * page);
    const run::StageRecord& stage = runner.profile.stages()[0];
    const std::int64_t whole = (512 * (tiles - 1) + 7) * 8;
    if (host_pages > tiles + 8) {
      CHECK(stage.bytes_read == whole);
      CHECK(stage.bytes_written == whole);
    } else {
      CHECK(stage.bytes_written > whole);
      CHECK(stage.bytes_written <= passes * whole);
    }
  }
}

TEST_CASE("What later blocks need is read while earlier ones that fill the device are computed") {
  test::TempFolder folder;
  WaitingUpdates program;
  auto options = options_of(false, 2, 0);
  options.host_bytes = 16 * page;
  test::StageRunner runner(folder.path(), program, options);
  runner.run();
  CHECK(program.read_meanwhile);
  const std::vector<u64> sums = runner.result<u64>(1);
  for (std::size_t i : {0, 1, 511}) {
    const u64 value = test::CountingSource::value(i) + static_cast<u64>(WaitingUpdates::updates - 2);
    CHECK(sums[i] == value * test::CountingSource::value(512 + i));
  }
}

TEST_CASE("A block of a chain that fails its checks is repeated, and the chain goes on") {
  test::TempFolder folder;
  test::PrefixChain program(512 * 12, 512, 3, 5);
  test::StageRunner runner(folder.path(), program, options_of(false, 16, 10));
  runner.run();
  CHECK(runner.result<u64>(1) == program.expected());
  CHECK(program.failures == 1);
  int repeated = 0;
  for (const auto& block : runner.profile.blocks()) repeated += block.attempts > 1;
  CHECK(repeated == 1);
}

TEST_CASE("Phases are made from the results of earlier ones") {
  test::TempFolder folder, again;
  test::Probes program(50), same(50);
  test::StageRunner(folder.path(), program, options_of(true, 4, 0)).run();
  test::StageRunner(again.path(), same, options_of(false, 4, 20)).run();
  CHECK(program.phases_made > 1);
  CHECK(program.folded == same.folded);
}

TEST_CASE("A stage stops at a checkpoint when it is asked to, and goes on from it") {
  std::atomic<int> stop = 1;
  test::TempFolder folder;
  test::PeriodicPasses program(512 * 6 + 100, 512, 700, 5);
  auto options = options_of(false, 9, 200);
  options.stop = &stop;
  CHECK_THROWS_AS(test::StageRunner(folder.path(), program, options).run(), Stopped);
  stop = 0;
  test::PeriodicPasses next(512 * 6 + 100, 512, 700, 5);
  test::StageRunner runner(folder.path(), next, options);
  runner.run();
  CHECK(runner.result<u64>(1) == next.expected());
}

TEST_CASE("Frequent checkpoints change nothing") {
  for (const bool shares : {true, false}) {
    test::TempFolder folder;
    test::InPlaceUpdates program(7, 512, 33);
    auto options = options_of(shares, 6, 30);
    options.checkpoint_seconds = 1e-4;
    test::StageRunner runner(folder.path(), program, options);
    runner.run();
    CHECK(runner.result<u64>(1) == program.expected());
    CHECK(runner.profile.stages()[0].checkpoints > 1);
  }
}

TEST_CASE("A stage of twenty million trivial blocks runs in flat memory") {
  constexpr u64 blocks = 20'000'000;
  auto resident = [] {
    std::ifstream file("/proc/self/statm");
    long total = 0, pages = 0;
    file >> total >> pages;
    return pages * 4096;
  };
  test::TempFolder folder;
  test::ManyBlocks program(static_cast<std::int64_t>(blocks));
  const long before = resident();
  test::StageRunner runner(folder.path(), program, options_of(true, 4, 0));
  runner.run();
  u64 expected = 0;
  for (u64 i = 0; i < blocks; ++i) expected = expected * 31 + i;
  CHECK(program.folded == expected);
  CHECK(runner.profile.stages()[0].blocks == static_cast<std::int64_t>(blocks));
  // Some 26 MB, most of them the profile, in runs of blocks: a leak of three bytes a block is found.
  CHECK(resident() - before < (64 << 20));
}

TEST_CASE("The executor knows as many blocks at a time as the memory for them allows") {
  for (const std::size_t bytes : {std::size_t{512} << 10, std::size_t{1} << 20}) {
    test::TempFolder folder;
    test::ManyBlocks toy(20000);
    test::RunnerOptions options;
    options.window_bytes = bytes;
    test::StageRunner runner(folder.path(), toy, options);
    runner.run();
    CHECK(toy.folded_blocks == 20000);
    CHECK(toy.most_known * static_cast<std::int64_t>(sizeof(run::BlockState)) <=
          static_cast<std::int64_t>(bytes + sizeof(run::BlockState)));
    CHECK(toy.most_known > static_cast<std::int64_t>(bytes / 512));
  }
}
