// The executor when it is disturbed: stops, cuts at every moment, disks that fail, memory that does not suffice.
#include <catch2/catch.hpp>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "io/files/checksum.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/run/home_tiles.hpp"
#include "tests/support/stage_runner.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/toy_programs.hpp"

using namespace terrace;
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

/// The tiles of the stage's result array as its ledger has them.
std::unique_ptr<run::HomeTiles> home_tiles(const fs::path& folder, const run::Plan& program) {
  const run::ArraySpec& spec = program.arrays()[1];
  const auto file = std::make_shared<io::BlockFile>(folder / (spec.name + ".home"), io::BlockFile::Mode::read_write);
  return std::make_unique<run::HomeTiles>("dataset /toy/" + spec.name, run::Home{file, 0}, spec.type,
                                          TileGrid(spec.shape, spec.tile),
                                          run::Ledger::read(folder / "ledger").completed.at(0).tiles.at(1));
}

/// Compares all tiles with the checksums that the ledger of the stage, which is done, has of them. @throws IoError
void check_home(const fs::path& folder, const run::Plan& program) {
  const auto checksums = run::Ledger::read(folder / "ledger").completed.at(0).tiles.at(1);
  std::int64_t bytes = 0;
  home_tiles(folder, program)->check_rest(checksums, [&](std::int64_t more) { bytes += more; });
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

/// A byte that the last cut in the ledger says is on disk, at home, and the tile that it belongs to.
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

void flip(const fs::path& path, std::int64_t offset) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(offset);
  const int byte = file.get();
  file.seekp(offset);
  file.put(static_cast<char>(byte ^ 16));
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
    flip(folder / byte->file, byte->offset);
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

TEST_CASE("What a stage has written is checked when another reads it") {
  test::TempFolder folder;
  test::PrefixChain program(512 * 8 + 7, 512, 3);
  test::StageRunner(folder.path(), program, options_of(true, 30, 0)).run();
  const std::vector<u64> expected = program.expected();
  const auto read = [&](std::int64_t begin, std::int64_t end) {
    const auto tiles = home_tiles(folder.path(), program);
    std::vector<u64> values(static_cast<std::size_t>(end - begin));
    tiles->read({{begin}, {end}}, values.data());
    return values == std::vector<u64>(expected.begin() + begin, expected.begin() + end);
  };
  const std::pair<std::int64_t, std::int64_t> boxes[] = {
      {0, 4103}, {512, 1024}, {500, 530}, {700, 701}, {4000, 4103}};
  for (const auto& [begin, end] : boxes) CHECK(read(begin, end));
  flip(folder / "sums.home", 1020 * 8);
  for (const auto& [begin, end] : boxes) {
    INFO(begin << " to " << end);
    // A part of the tile is enough, any part.
    if (begin < 1024 && end > 512)
      CHECK_THROWS_WITH(read(begin, end), Catch::Contains("dataset /toy/sums, [512, 1024)"));
    else CHECK(read(begin, end));
  }
  // Tiles that were read in part, and one more, are read again; the tile that was read completely is not.
  const auto again = home_tiles(folder.path(), program);
  std::vector<u64> some(700);
  again->read({{2048}, {2748}}, some.data());
  again->read({{2700}, {2748}}, some.data());
  CHECK(again->take_rereads().bytes == 512 * 8);
  CHECK(again->take_rereads().bytes == 0);
  // Tiles of earlier attempts that nobody has read since are read at the end; a stop interrupts it.
  const auto rest = home_tiles(folder.path(), program);
  std::vector<u64> values(512);
  rest->read({{2048}, {2560}}, values.data());
  const std::vector<std::uint64_t> earlier{1, 0, 1, 1, 1, 1};
  CHECK(rest->rest_bytes(earlier) == 4 * 512 * 8);
  std::int64_t bytes = 0;
  rest->check_rest(earlier, [&](std::int64_t more) { bytes += more; });
  CHECK(bytes == 4 * 512 * 8);
  CHECK(rest->rest_bytes(earlier) == 0);
  rest->read({{2600}, {2700}}, values.data());
  CHECK(rest->take_rereads().bytes == 0);
  const auto stopped = home_tiles(folder.path(), program);
  CHECK_THROWS_AS(stopped->check_rest(earlier, [](std::int64_t) { throw Stopped("now"); }), Stopped);
  // Side by side, and each tile is read by one of them.
  const auto tiles = home_tiles(folder.path(), program);
  std::atomic<int> failures = 0;
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&, reader] {
      u64 value = 0;
      for (std::int64_t at = reader; at < 4103; at += 97) {
        try {
          tiles->read({{at}, {at + 1}}, &value);
          if (value != expected[static_cast<std::size_t>(at)]) failures += 1000;
        } catch (const IoError&) {
          failures += at >= 512 && at < 1024 ? 1 : 1000;
        }
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  CHECK(failures > 0);
  CHECK(failures < 1000);
}

TEST_CASE("Tiles side by side that a box covers in part are read together, each once") {
  test::TempFolder folder;
  const TileGrid grid({100, 3000}, {40, 1000});
  std::vector<u64> values(static_cast<std::size_t>(volume(grid.shape())));
  std::mt19937_64 random(5);
  for (u64& value : values) value = random();
  std::vector<std::uint64_t> checksums;
  for (std::int64_t tile = 0; tile < grid.count(); ++tile) {
    checksums.push_back(io::checksum_box(values.data(), grid.shape(), sizeof(u64), grid.box(tile)));
  }
  const fs::path path = folder / "table";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(u64)));
  const auto file = std::make_shared<io::BlockFile>(path, io::BlockFile::Mode::read_write);
  const auto tiles = [&] {
    return std::make_unique<run::HomeTiles>("table", run::Home{file, 0}, ElementType::u64, grid, checksums);
  };
  const auto is_right = [&](run::HomeTiles& of, const Box& box) {
    std::vector<u64> found(static_cast<std::size_t>(box.volume())), expected(found.size());
    of.read(box, found.data());
    copy_box(values.data(), Box::whole(grid.shape()), expected.data(), box, box, sizeof(u64));
    return found == expected;
  };
  constexpr std::int64_t tile_bytes = 40 * 1000 * 8;
  const auto rows = tiles();
  CHECK(is_right(*rows, {{3, 0}, {5, 3000}}));  // three tiles
  CHECK(rows->take_rereads().bytes == 3 * tile_bytes);
  CHECK(is_right(*rows, {{5, 10}, {39, 2990}}));
  CHECK(rows->take_rereads().bytes == 0);
  CHECK(is_right(*rows, {{30, 500}, {50, 1500}}));  // two more
  CHECK(rows->take_rereads().bytes == 2 * tile_bytes);
  CHECK(is_right(*rows, {{0, 0}, {100, 3000}}));  // all as a whole
  CHECK(is_right(*rows, {{90, 2900}, {91, 2901}}));
  CHECK(rows->take_rereads().bytes == 0);
  const auto mixed = tiles();
  CHECK(is_right(*mixed, {{40, 500}, {80, 3000}}));  // one in part, two as a whole
  CHECK(mixed->take_rereads().bytes == tile_bytes);
  const auto shared = tiles();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&, reader] {
      for (std::int64_t row = reader; row < 100; row += 4) {
        const std::int64_t begin = row * 37 % 2000;
        if (!is_right(*shared, {{row, begin}, {row + 1, begin + 900}})) ++wrong;
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
  CHECK(shared->take_rereads().bytes == 6 * tile_bytes + 3 * tile_bytes / 2);
  flip(path, (50 * 3000 + 1234) * 8);
  const auto flipped = tiles();
  CHECK(is_right(*flipped, {{0, 0}, {30, 3000}}));
  for (int time = 0; time < 2; ++time) {
    CHECK_THROWS_WITH(is_right(*flipped, {{70, 0}, {71, 3000}}), Catch::Contains("[40, 80) x [1000, 2000)"));
  }
  CHECK(is_right(*flipped, {{70, 0}, {71, 900}}));
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

TEST_CASE("Cuts at every moment leave tiles right that many blocks write parts of") {
  std::int64_t cuts = 0;
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
    cuts += runner.profile.stages()[0].cuts;
  }
  CHECK(cuts > 10);
}

TEST_CASE("Blocks that write parts of one tile take one slot for it, and wait for no cut") {
  for (const bool shares : {true, false}) {
    test::TempFolder folder;
    test::PeriodicPasses program(512, 512, 8, 30);
    test::StageRunner runner(folder.path(), program, options_of(shares, 20, 20));
    runner.run();
    CHECK(runner.result<u64>(1) == program.expected());
    CHECK(runner.profile.stages()[0].cuts == 1);
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
