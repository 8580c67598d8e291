// The executor when it is disturbed: stops, checkpoints at every moment, disks that fail, memory that does not
// suffice.
#include <catch2/catch.hpp>

#include <chrono>
#include <random>
#include <thread>

#include "pipeline/base/error.hpp"
#include "tests/support/flip.hpp"
#include "tests/support/home_files.hpp"
#include "tests/support/stage_runner.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/toy_programs.hpp"

using namespace terrace;
using test::At;
using test::u64;

namespace fs = std::filesystem;

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

/// Compares all tiles with the checksums that the ledger of the stage, which is done, has of them. @throws IoError
void check_home(const fs::path& folder, const run::Plan& program) {
  const auto checksums = run::Ledger::read(folder / "ledger").completed.at(0).tiles.at(1);
  std::int64_t bytes = 0;
  test::home_tiles(folder, program)->check_rest(checksums, [&](std::int64_t more) { bytes += more; });
  const run::ArraySpec& spec = program.arrays()[1];
  CHECK(bytes == volume(spec.shape) * static_cast<std::int64_t>(size_of(spec.type)));
}

/// Runs new programs in one folder, each stopped a random time after its start, until one runs to the end. @return
/// the number of stopped runs
template <class P, class Make>
int run_with_stops(Make make, test::RunnerOptions options, std::uint32_t seed) {
  std::mt19937 random(seed);
  test::TempFolder folder;
  for (int stops = 0;; ++stops) {
    P program = make();
    std::atomic<int> stop = 0;
    std::atomic<bool> over = false;
    options.stop = &stop;
    test::StageRunner runner(folder.path(), program, options);
    const auto pause = std::chrono::microseconds(random() % 4000 * (1 + stops));
    std::thread stopper([&] {
      const auto end = std::chrono::steady_clock::now() + pause;
      while (!over && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      stop = 1;
    });
    bool stopped = false;
    try {
      runner.run();
    } catch (const Stopped&) {
      stopped = true;
    } catch (...) {
      over = true;
      stopper.join();
      throw;
    }
    over = true;
    stopper.join();
    if (stopped) continue;
    CHECK(runner.template result<u64>(1) == program.expected());
    check_home(folder.path(), program);
    return stops;
  }
}

/// Updates that take a while.
class SlowUpdates : public test::InPlaceUpdates {
 public:
  using InPlaceUpdates::InPlaceUpdates;

 protected:
  bool compute(const run::Phase& phase, const Descriptor& descriptor, u64* result, int attempt) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return InPlaceUpdates::compute(phase, descriptor, result, attempt);
  }
};

/// Updates, one of which fails its checks once, with nothing changed.
class FailingUpdates : public test::InPlaceUpdates {
 public:
  using InPlaceUpdates::InPlaceUpdates;

 protected:
  bool compute(const run::Phase& phase, const Descriptor& descriptor, u64* result, int attempt) override {
    if (phase.number > 0 && descriptor.index == 3 && attempt == 0) return false;
    return InPlaceUpdates::compute(phase, descriptor, result, attempt);
  }
};

/// A chain with a block that never passes its checks.
class HopelessChain : public test::PrefixChain {
 public:
  using PrefixChain::PrefixChain;

 protected:
  bool compute(const run::Phase& phase, const Descriptor& descriptor, u64* result, int attempt) override {
    return descriptor.index != 7 && PrefixChain::compute(phase, descriptor, result, attempt);
  }
};

/// A chain that asks for a stop at one of its blocks.
class StoppingChain : public test::PrefixChain {
 public:
  StoppingChain(std::int64_t size, std::atomic<int>& stop) : PrefixChain(size, 512, 3), stop_(stop) { skips = 100; }

 protected:
  bool compute(const run::Phase& phase, const Descriptor& d, u64* result, int attempt) override {
    if (d.index == 20) stop_ = 1;
    return PrefixChain::compute(phase, d, result, attempt);
  }

 private:
  std::atomic<int>& stop_;
};

/// The first block reads all inputs, two large tiles and two small ones, and the second one the small tiles again and
/// a part that is assembled from the large ones, which it writes.
class AssembledPart : public test::ToyProgram {
 public:
  static constexpr std::int64_t numbers = page / sizeof(u64), large = 3 * numbers;  // of a tile

  AssembledPart() {
    const auto input = [](const char* name, std::int64_t size, std::int64_t tile) {
      return run::ArraySpec{name,   run::Role::input, ElementType::u64,
                            {size}, {tile},           std::make_shared<test::CountingSource>(Extents{size})};
    };
    arrays_ = {input("large", 2 * large, large),
               {"part", run::Role::result, ElementType::u64, {numbers}, {numbers}},
               input("small", 2 * numbers, numbers)};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number > 0) return std::nullopt;
    return run::Phase{number, 2};
  }
  run::Block block(const run::Phase&, std::int64_t index) const override {
    run::Block block;
    block.accesses = {{At::first, 2, 0, {{0}, {2 * numbers}}, run::Mode::read}};
    if (index == 0) {
      block.accesses.push_back({At::second, 0, 0, {{0}, {2 * large}}, run::Mode::read});
    } else {
      block.accesses.push_back({At::second, 0, 0, part_, run::Mode::read, run::View::contiguous});
      block.accesses.push_back({At::third, 1, 1, {{0}, {numbers}}, run::Mode::write});
    }
    block.operations = 1;
    return block;
  }
  std::vector<u64> expected() const {
    std::vector<u64> values;
    for (std::int64_t i = part_.begin[0]; i < part_.end[0]; ++i) {
      values.push_back(test::CountingSource::value(static_cast<u64>(i)));
    }
    return values;
  }

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    *result = 0;
    if (u64* out = d.at(At::third); out != nullptr) std::copy_n(d.at(At::second), numbers, out);
    return true;
  }

 private:
  Box part_{{large - numbers / 2}, {large + numbers / 2}};
};

/// A byte that the last checkpoint in the ledger says is on disk, at home, and the tile that it belongs to.
struct RecordedByte {
  std::string file;
  std::int64_t offset;  // in it
  Box box;              // that an error has to name: the tile, or its part if it was not complete
};

std::optional<RecordedByte> draw_recorded_byte(const fs::path& folder, const run::Plan& program,
                                               std::mt19937& random) {
  const run::Progress progress = run::Ledger::read(folder / "ledger");
  if (!progress.current) return std::nullopt;
  std::vector<RecordedByte> bytes;
  for (const auto& [key, tile] : progress.current->tiles) {
    if (tile.slot != run::home_slot) continue;
    const run::ArraySpec& spec = program.arrays()[static_cast<std::size_t>(key.array)];
    std::vector<Box> boxes{TileGrid(spec.shape, spec.tile).box(key.tile)};
    if (tile.filled < boxes[0].volume()) {
      boxes.clear();
      for (const run::TilePart& part : tile.parts) boxes.push_back(part.box);
    }
    for (const Box& box : boxes) {
      const auto element = box.begin[0] + static_cast<std::int64_t>(random()) % box.volume();
      bytes.push_back({spec.name + ".home", element * 8 + static_cast<std::int64_t>(random() % 8), box});
    }
  }
  if (bytes.empty()) return std::nullopt;
  return bytes[random() % bytes.size()];
}

/// A program that asks for a stop at the `at`-th block that it computes.
template <class P>
class Stopping : public P {
 public:
  Stopping(P program, std::atomic<int>& stop, std::int64_t at) : P(std::move(program)), stop_(stop), left_(at) {}

 protected:
  bool compute(const run::Phase& phase, const typename P::Descriptor& descriptor, u64* result, int attempt) override {
    if (--left_ == 0) stop_ = 1;
    return P::compute(phase, descriptor, result, attempt);
  }

 private:
  std::atomic<int>& stop_;
  std::int64_t left_;
};

/// Stops a new run at one of the blocks of the last phase. @return its bytes at home, if any
template <class P>
std::optional<RecordedByte> run_until_stop(const fs::path& folder, P program, test::RunnerOptions options,
                                           std::mt19937& random) {
  std::int64_t before = 0, last = 0;
  for (std::int64_t number = 0; const auto phase = program.phase(number, program); ++number) {
    before += last;
    last = phase->count;
  }
  std::atomic<int> stop = 0;
  options.stop = &stop;
  Stopping<P> stopping(std::move(program), stop, before + 1 + static_cast<std::int64_t>(random()) % last);
  try {
    test::StageRunner(folder, stopping, options).run();
    return std::nullopt;
  } catch (const Stopped&) {
    return draw_recorded_byte(folder, stopping, random);
  }
}

/// Flips a byte at home between two attempts, many times. @return how often the next attempt read it back itself
template <class P, class Make>
int check_flips(Make make, const test::RunnerOptions& options, std::uint32_t seed) {
  std::mt19937 random(seed);
  int flips = 0, read_back = 0;
  for (int tries = 0; tries < 60 && flips < 6; ++tries) {
    test::TempFolder folder;
    const auto byte = run_until_stop(folder.path(), make(), options, random);
    if (!byte) continue;
    ++flips;
    INFO(byte->file << ", byte " << byte->offset << ", " << to_string(byte->box));
    test::flip(folder / byte->file, byte->offset);
    std::string error;
    try {
      P second = make();
      test::StageRunner(folder.path(), second, options).run();
      // Nobody needed it: so it is found at the end.
      check_home(folder.path(), second);
    } catch (const IoError& found) {
      error = found.what();
      read_back += error.find("/toy/") == std::string::npos;
    }
    CHECK_THAT(error, Catch::Contains((folder / byte->file).string()) && Catch::Contains(to_string(byte->box)) &&
                          Catch::Contains("--fresh"));
  }
  CHECK(flips == 6);
  return read_back;
}

}  // namespace

TEST_CASE("Updates in place that were ready when a stop came are taken back, and the next run goes on") {
  int stops = 0;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const bool shares = seed % 2 == 0;
    INFO("seed " << seed);
    stops += run_with_stops<test::InPlaceUpdates>([] { return test::InPlaceUpdates(7, 512, 33); },
                                                  options_of(shares, 5 + seed % 3 * 20, 60, seed), seed);
  }
  CHECK(stops > 12);
}

TEST_CASE(
    "Updates of one tile by blocks of two launches are taken back when a stop comes, and the next run goes on") {
  int stops = 0;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    const auto make = [] {
      test::InPlaceUpdates program(7, 512, 33);
      program.order = run::Order::in_turn;
      program.one_phase = true;
      return program;
    };
    stops += run_with_stops<test::InPlaceUpdates>(make, options_of(seed % 2 == 0, 5 + seed % 3 * 20, 60, seed), seed);
  }
  CHECK(stops > 12);
}

TEST_CASE("Passes and chains stop anywhere and go on") {
  int stops = 0;
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const bool shares = seed % 2 == 0;
    INFO("seed " << seed);
    stops += run_with_stops<test::PeriodicPasses>([] { return test::PeriodicPasses(512 * 6 + 100, 512, 200, 3); },
                                                  options_of(shares, 9, 60, seed), seed);
    stops += run_with_stops<test::ChainPasses>([] { return test::ChainPasses(512 * 20 + 7, 512, 4); },
                                               options_of(shares, seed % 3 == 0 ? 40 : 9, 60, seed), seed);
    stops += run_with_stops<test::PrefixChain>([] { return test::PrefixChain(512 * 30 + 7, 512, 2, 5); },
                                               options_of(shares, 16, 60, seed), seed);
  }
  CHECK(stops > 8);
}

TEST_CASE("A byte at home that was flipped between two attempts is found, at the latest in the end, and named") {
  int read_back = 0;
  for (const bool shares : {true, false}) {
    const auto options = options_of(shares, 9, 60);
    const std::uint32_t seed = shares ? 1 : 2;
    // Tiles of which several blocks write parts, some half done when the stop comes.
    read_back += check_flips<test::PeriodicPasses>([] { return test::PeriodicPasses(512 * 6 + 100, 512, 200, 3); },
                                                   options, seed);
    read_back += check_flips<test::InPlaceUpdates>([] { return test::InPlaceUpdates(7, 512, 33); }, options, seed);
    check_flips<test::ChainPasses>([] { return test::ChainPasses(512 * 20 + 7, 512, 4); }, options, seed);
    auto enough = options;
    enough.host_bytes = enough.device_bytes = 16 * page;
    check_flips<test::PrefixChain>([] { return test::PrefixChain(512 * 30 + 7, 512, 2, 5); }, enough, seed);
  }
  CHECK(read_back > 0);
}

TEST_CASE("What was done and what was left out is counted over a stop") {
  constexpr std::int64_t blocks = 40;
  test::TempFolder folder;
  std::atomic<int> stop = 0, ignored = 0;
  auto options = options_of(true, 30, 0);
  options.stop = &stop;
  StoppingChain first(512 * blocks, stop);
  CHECK_THROWS_AS(test::StageRunner(folder.path(), first, options).run(), Stopped);
  options.stop = nullptr;
  StoppingChain second(512 * blocks, ignored);
  test::StageRunner runner(folder.path(), second, options);
  runner.run();
  run::StageRecord stage = runner.profile.stages()[0];
  CHECK(stage.before.operations >= 512 * 20);
  CHECK(stage.before.operations < 512 * blocks);
  CHECK(stage.before.operations + stage.operations == 512 * blocks);
  CHECK(stage.before.skipped + stage.skipped == 100 * blocks);
  CHECK(stage.left_out() == Approx(100.0 / 512));
  // Half of the whole was never asked for, and some of the rest left out.
  stage.whole = 2 * 512 * blocks;
  CHECK(stage.left_out() == Approx(0.5 + 50.0 / 512));
  // Blocks done twice do not make up for parts left out.
  stage.whole = 256 * blocks;
  CHECK(stage.left_out() == Approx(200.0 / 512));
}

TEST_CASE("A block that updates in place and fails its checks is repeated on what it found") {
  for (const bool shares : {true, false}) {
    test::TempFolder folder;
    FailingUpdates program(6, 512, 33);
    auto options = options_of(shares, 8, 20);
    options.checkpoint_seconds = 1e-6;
    test::StageRunner runner(folder.path(), program, options);
    runner.run();
    CHECK(runner.result<u64>(1) == program.expected());
    CHECK(program.failures == 6);
  }
}

TEST_CASE("Checkpoints at every moment leave tiles right that many blocks write parts of") {
  std::int64_t checkpoints = 0;
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const bool shares = seed % 2 == 0;
    test::TempFolder folder;
    test::PeriodicPasses program(512 * 5 + 100, 512, 60, 4);
    auto options = options_of(shares, 7 + seed, 100, seed);
    options.checkpoint_seconds = 1e-6;
    test::StageRunner runner(folder.path(), program, options);
    INFO("seed " << seed);
    runner.run();
    CHECK(runner.result<u64>(1) == program.expected());
    checkpoints += runner.profile.stages()[0].checkpoints;
  }
  CHECK(checkpoints > 10);
}

TEST_CASE("Blocks that write parts of one tile take one slot for it, and wait for no checkpoint") {
  for (const bool shares : {true, false}) {
    test::TempFolder folder;
    test::PeriodicPasses program(512, 512, 8, 30);
    test::StageRunner runner(folder.path(), program, options_of(shares, 20, 20));
    runner.run();
    CHECK(runner.result<u64>(1) == program.expected());
    CHECK(runner.profile.stages()[0].checkpoints == 1);
  }
}

TEST_CASE("Blocks longer than the checkpoint interval do not use up the slots") {
  test::TempFolder folder;
  SlowUpdates program(14, 512, 33);
  auto options = options_of(true, 40, 0);
  options.checkpoint_seconds = 1e-4;
  test::StageRunner runner(folder.path(), program, options);
  runner.run();
  CHECK(runner.result<u64>(1) == program.expected());
}

TEST_CASE("A memory that does not hold the largest block ends the run with an error that says so") {
  for (const bool shares : {true, false}) {
    for (const double seconds : {0.0, 1e-6}) {
      test::TempFolder folder;
      test::PeriodicPasses program(512 * 6, 512, 700, 2);
      auto options = options_of(shares, 3, 0);
      options.checkpoint_seconds = seconds;
      test::StageRunner runner(folder.path(), program, options);
      CHECK_THROWS_WITH(runner.run(), Catch::Contains("memory") && Catch::Contains("block 0 of phase 0"));
    }
  }
}

TEST_CASE("Tiles in memory make room for the part of a block that is assembled from them") {
  for (const bool shares : {true, false}) {
    test::TempFolder folder;
    AssembledPart program;
    // All inputs together fill the memory; the second block needs one large tile at a time.
    test::StageRunner runner(folder.path(), program, options_of(shares, 8, 0));
    INFO("shares " << shares);
    runner.run();
    CHECK(runner.result<u64>(1) == program.expected());
  }
}

TEST_CASE("Writes that fail, several at a time, end the run with an error that names the file") {
  for (const bool shares : {true, false}) {
    test::TempFolder folder;
    std::filesystem::create_symlink("/dev/full", folder / "sums.home");
    test::PrefixChain program(512 * 40, 512, 3);
    auto options = options_of(shares, 60, 0);
    options.reserve = false;
    test::StageRunner runner(folder.path(), program, options);
    CHECK_THROWS_WITH(runner.run(), Catch::Contains("sums.home"));
  }
}

TEST_CASE("A block that fails for good ends the run, whatever is under way") {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    test::TempFolder folder;
    HopelessChain program(512 * 40, 512, 3);
    auto options = options_of(seed % 2 == 0, 30, 50, seed);
    options.checkpoint_seconds = 1e-6;
    test::StageRunner runner(folder.path(), program, options);
    CHECK_THROWS_AS(runner.run(), ComputeError);
  }
}
