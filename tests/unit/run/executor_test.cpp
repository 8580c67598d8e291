#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include "pipeline/base/error.hpp"
#include "tests/support/grid_chain.hpp"
#include "tests/support/stage_runner.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/toy_programs.hpp"

using namespace terrace;
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

}  // namespace

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
      // It takes a tenth of a second. What stands still is only found after a fifth, for every block: 20 seconds.
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
    CHECK(runner.profile.stages()[0].cuts > 1);
  }
}

TEST_CASE("A stage of a hundred million trivial blocks runs in flat memory") {
  auto resident = [] {
    std::ifstream file("/proc/self/statm");
    long total = 0, pages = 0;
    file >> total >> pages;
    return pages * 4096;
  };
  test::TempFolder folder;
  test::ManyBlocks program(100'000'000);
  const long before = resident();
  test::StageRunner runner(folder.path(), program, options_of(true, 4, 0));
  runner.run();
  u64 expected = 0;
  for (u64 i = 0; i < 100'000'000; ++i) expected = expected * 31 + i;
  CHECK(program.folded == expected);
  CHECK(runner.profile.stages()[0].blocks == 100'000'000);
  CHECK(resident() - before < (256 << 20));
}
