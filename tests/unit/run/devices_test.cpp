// The executor with several devices: chains, tiles written in parts, updates and halos, however blocks are dealt.
#include <catch2/catch.hpp>

#include <array>
#include <random>
#include <span>
#include <string>
#include <thread>

#include "pipeline/base/error.hpp"
#include "tests/support/dealt_programs.hpp"
#include "tests/support/grid_chain.hpp"
#include "tests/support/stage_runner.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/update_chain.hpp"

using namespace terrace;
using test::Deal;
using test::Dealt;
using test::u64;

namespace {

constexpr std::size_t page = 4096;

struct Machine {
  int devices;
  bool shares;  // as on the CPU
  bool peers;
};

constexpr Machine machines[] = {{1, true, false},  {2, true, false}, {3, true, false}, {1, false, false},
                                {2, false, false}, {2, false, true}, {3, false, true}};

test::RunnerOptions options_of(const Machine& machine, std::size_t pages, std::uint32_t seed) {
  test::RunnerOptions options;
  options.devices = machine.devices;
  options.shares_host_memory = machine.shares;
  options.peers = machine.peers;
  options.host_bytes = options.device_bytes = pages * page;
  options.longest_pause = 100;
  options.seed = seed;
  return options;
}

constexpr std::array<Deal, 3> to_devices{Deal::in_turn, Deal::in_halves, Deal::scattered};

/// Runs the toys that `make` makes on every machine, dealt in every way.
template <class Make>
void check_everywhere(const Make& make, std::size_t pages, int result, std::span<const Deal> deals = to_devices) {
  for (const Machine& machine : machines) {
    for (const Deal deal : deals) {
      for (std::uint32_t seed = 1; seed <= 2; ++seed) {
        INFO(machine.devices << " devices, shares " << machine.shares << ", peers " << machine.peers << ", deal "
                             << static_cast<int>(deal) << ", seed " << seed);
        test::TempFolder folder;
        auto toy = make();
        toy.deal = deal;
        const test::RunnerOptions options = options_of(machine, pages, seed);
        test::StageRunner runner(folder.path(), toy, options);
        runner.run();
        CHECK((runner.template result<u64>(result) == toy.expected()));  // without the numbers
        CHECK(runner.peak_host <= options.host_bytes);
        CHECK(runner.peak_device <= options.device_bytes);
      }
    }
  }
}

/// Stops runs of the toy at random moments, and resumes each on another number of devices.
/// @param deals ways to deal blocks, of which each attempt takes one
template <class Make>
void check_stops(const Make& make, std::size_t pages, int result, std::size_t deals = to_devices.size()) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    test::TempFolder folder;
    const bool shares = random() % 2 == 0;
    for (int attempt = 0;; ++attempt) {
      auto toy = make();
      toy.deal = static_cast<Deal>(random() % deals);
      const Machine machine{static_cast<int>(1 + random() % 3), shares, random() % 2 == 0};
      test::RunnerOptions options = options_of(machine, pages, seed);
      std::atomic<int> stop = 0;
      std::atomic<bool> over = false;
      options.stop = &stop;
      options.checkpoint_seconds = random() % 2 == 0 ? 1e-3 : 10;
      test::StageRunner runner(folder.path(), toy, options);
      const auto end =
          std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 5000 * (1 + u64(attempt)));
      std::thread stopper([&] {
        while (!over && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        stop = 1;
      });
      bool stopped = false;
      std::string error;
      try {
        runner.run();
      } catch (const Stopped&) {
        stopped = true;
      } catch (const std::exception& failure) {
        error = failure.what();
      }
      over = true;
      stopper.join();
      REQUIRE(error == "");
      if (stopped) continue;
      CHECK((runner.template result<u64>(result) == toy.expected()));
      break;
    }
  }
}

Dealt<test::PrefixChain> prefix_chain() { return {512 * 12 + 100, 512, 3, 5}; }
Dealt<test::ChainPasses> chain_passes() { return {512 * 8, 512, 4}; }
Dealt<test::ChainPasses> passes_of_one_chain() {
  auto toy = chain_passes();
  toy.goes_on = true;
  return toy;
}
Dealt<test::PeriodicPasses> shifted_passes() { return {512 * 6 + 100, 512, 700, 4}; }
Dealt<test::PeriodicPasses> whole_tiles() { return {512 * 6, 512, 512, 4}; }
Dealt<test::GridChain> grid_chain() { return {4, 5, 32, 64, 3}; }
Dealt<test::HaloSteps> halo_steps() { return {60, 70, Extents{16, 32}, Extents{11, 23}, 3}; }
Dealt<test::InPlaceUpdates> updates(run::Order order) {
  Dealt<test::InPlaceUpdates> toy(7, 512, 33);
  toy.order = order;
  return toy;
}
Dealt<test::UpdateChain> update_chain(std::int64_t passes, bool late) {
  Dealt<test::UpdateChain> toy(7, 512, 33, passes);
  toy.reports_late = late;
  return toy;
}
Dealt<test::HaloSteps> halo_chain() {
  auto toy = halo_steps();
  toy.order = run::Order::chain;
  return toy;
}

}  // namespace

TEST_CASE("Chains come out right, whichever devices their blocks are dealt to") {
  check_everywhere(prefix_chain, 24, 1);
  check_everywhere(chain_passes, 24, 1);
  check_everywhere(passes_of_one_chain, 24, 1);
}

TEST_CASE("A chain over a grid hands its borders from device to device") { check_everywhere(grid_chain, 60, 4); }

TEST_CASE("Tiles come out right of which several devices write parts") {
  check_everywhere(shifted_passes, 24, 1);
  check_everywhere(whole_tiles, 24, 1);
}

TEST_CASE("Parts of tiles are kept that leave memory before the writers of other parts are known") {
  for (const run::Role role : {run::Role::scratch, run::Role::result}) {
    for (const Machine& machine : machines) {
      for (std::uint32_t seed = 1; seed <= 6; ++seed) {
        INFO(machine.devices << " devices, shares " << machine.shares << ", peers " << machine.peers << ", seed "
                             << seed << ", role " << static_cast<int>(role));
        test::TempFolder folder;
        Dealt<test::LateParts> toy(12, 80, role);
        toy.deal = Deal::scattered;
        test::RunnerOptions options = options_of(machine, 3 + seed, seed);
        options.checkpoint_seconds = seed % 2 == 0 ? 1e-6 : 10;
        test::StageRunner runner(folder.path(), toy, options);
        runner.run();
        CHECK(toy.wrong == 0);
        CHECK((runner.result<u64>(1) == toy.expected()));
        if (role == run::Role::result) CHECK((runner.result<u64>(0) == toy.expected()));
      }
    }
  }
}

TEST_CASE("Tiles that devices update in turn come out right, whatever the order of the phase") {
  check_everywhere([] { return updates(run::Order::any); }, 24, 1);
  check_everywhere([] { return updates(run::Order::in_turn); }, 24, 1);
}

TEST_CASE(
    "Chains that update tiles in place come out right, also where a launch keeps the report of its last block") {
  for (const std::int64_t passes : {1, 4}) {
    check_everywhere([&] { return update_chain(passes, false); }, 24, 0);
    check_everywhere([&] { return update_chain(passes, true); }, 24, 0);
  }
  check_everywhere([] { return update_chain(3, true); }, 3, 0);
}

TEST_CASE("A chain that updates tiles uses all the device memory that its tiles and its budget allow") {
  test::TempFolder folder;
  auto toy = update_chain(2, true);
  test::StageRunner runner(folder.path(), toy, options_of({1, false, false}, 24, 1));
  runner.run();
  CHECK(runner.peak_device == 7 * page);
}

TEST_CASE("Boxes with halos are assembled from tiles of all devices") {
  check_everywhere(halo_steps, 60, 1);
  check_everywhere(halo_chain, 60, 1);
}

TEST_CASE("Blocks that the host computes beside devices come out right, with little memory, too") {
  constexpr std::array<Deal, 1> with_host{Deal::with_host};
  for (const std::size_t pages : {24, 4}) {
    check_everywhere([] { return updates(run::Order::any); }, pages, 1, with_host);
    check_everywhere([] { return updates(run::Order::in_turn); }, pages, 1, with_host);
  }
  for (const std::size_t pages : {60, 12}) check_everywhere(halo_steps, pages, 1, with_host);
}

TEST_CASE("A run on several devices stops, and goes on with another number of them") {
  check_stops(prefix_chain, 24, 1);
  check_stops(chain_passes, 24, 1);
  check_stops(passes_of_one_chain, 24, 1);
  check_stops(shifted_passes, 24, 1);
  check_stops([] { return updates(run::Order::any); }, 24, 1, 4);
  check_stops([] { return updates(run::Order::in_turn); }, 24, 1, 4);
  check_stops([] { return update_chain(1, true); }, 24, 0);
  check_stops([] { return update_chain(4, true); }, 24, 0);
  check_stops([] { return update_chain(4, true); }, 3, 0);
  check_stops(halo_steps, 60, 1, 4);
  check_stops(grid_chain, 60, 4);
}

TEST_CASE("A device whose memory is full does not hold up another") {
  test::TempFolder folder;
  test::MeetingCopies toy(20, 512);
  test::RunnerOptions options = options_of({2, false, false}, 4, 1);  // two blocks
  options.host_bytes = 24 * page;
  test::StageRunner runner(folder.path(), toy, options);
  runner.run();
  CHECK(toy.met);
}

TEST_CASE("In turn, blocks that need one another are computed in one launch") {
  test::TempFolder folder;
  auto toy = updates(run::Order::in_turn);
  test::StageRunner runner(folder.path(), toy, options_of({1, false, false}, 40, 1));
  runner.run();
  CHECK(runner.result<u64>(1) == toy.expected());
}
