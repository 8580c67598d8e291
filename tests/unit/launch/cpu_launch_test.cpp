// The CPU's side of a port: what it reports, and when threads leave.
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

#include "kernels/launch/cpu_launch.hpp"

namespace terrace::device {
namespace {

struct Task {
  u64 first, second;
};

/// A port over blocks [first, first + count) of which all are ready, with a ring of two entries.
struct Feeder {
  Feeder(u64 first, u64 count)
      : ready(first + count),
        done(first),
        port{&ready,         &stop, &abort,       &done,       &failed, &skipped, descriptors.data(),
             results.data(), 2,     sizeof(Task), sizeof(u64), first,   count,    times.data()} {}

  u64 ready, stop = 0, abort = 0, done, failed = 0, skipped = 0;
  std::array<Task, 2> descriptors{{{10, 11}, {20, 21}}};
  std::array<u64, 2> results{};
  std::array<u64, 4> times{};
  Port port;
};

TEST_CASE("a block that fails its checks is reported once all blocks before it are") {
  Feeder feeder(3, 5);
  CpuLaunch launch(feeder.port);
  launch.fail(6);
  launch.fail(5);
  launch.report(3);
  CHECK(feeder.failed == 0);
  launch.report(4);
  CHECK(feeder.done == 5);
  CHECK(feeder.failed == 6);
  CHECK(launch.must_leave(5));
  CHECK(!launch.must_leave(4));
}

TEST_CASE("a block that fails in many threads, while the one before it is reported, is reported") {
  for (int run = 0; run < 200; ++run) {
    Feeder feeder(0, 2);
    CpuLaunch launch(feeder.port);
    {
      std::vector<std::jthread> threads;
      threads.emplace_back([&] { launch.report(0); });
      for (int i = 0; i < 2; ++i) threads.emplace_back([&] { launch.fail(1); });
    }
    REQUIRE(feeder.failed == 2);
  }
}

TEST_CASE("on stop a block does not begin, and those before it go on") {
  Feeder feeder(0, 4);
  CpuLaunch launch(feeder.port);
  CHECK(launch.may_begin(1));
  feeder.stop = 1;
  CHECK(!launch.wait(2, [&] { return launch.may_begin(2); }));
  CHECK(launch.must_leave(3));
  CHECK(launch.wait(1, [] { return true; }));
}

TEST_CASE("all threads leave on abort and after an exception") {
  Feeder feeder(0, 4);
  CpuLaunch launch(feeder.port);
  CHECK(launch.wait(0, [] { return true; }));
  SECTION("abort") { feeder.abort = 1; }
  SECTION("an exception") { launch.abandon(); }
  CHECK(!launch.wait(0, [] { return false; }));
  CHECK(!launch.wait(0, [] { return true; }));
}

TEST_CASE("a wait that sleeps sees what another thread does") {
  Feeder feeder(0, 1);
  feeder.ready = 0;
  CpuLaunch launch(feeder.port);
  std::jthread thread([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic_ref(feeder.ready).store(1, std::memory_order_release);
  });
  CHECK(launch.wait(0, [&] { return launch.may_begin(0); }));
}

TEST_CASE("blocks are computed in order, each with its descriptor, result and times") {
  Feeder feeder(1, 2);
  compute_in_order<Task, u64>(feeder.port, [](const Task& task, u64& result) {
    result = task.first + task.second;
    return true;
  });
  CHECK(feeder.done == 3);
  CHECK(feeder.results == std::array<u64, 2>{21, 41});
  for (int block = 0; block < 2; ++block) {
    CHECK(feeder.times[2 * block] > 0);
    CHECK(feeder.times[2 * block] <= feeder.times[2 * block + 1]);
  }
}

TEST_CASE("a launch ends with the block that is not computed") {
  Feeder feeder(0, 3);
  int begun = 0;
  compute_in_order<Task, u64>(feeder.port, [&](const Task&, u64&) { return ++begun < 2; });
  CHECK(begun == 2);
  CHECK(feeder.done == 1);
  CHECK(feeder.failed == 0);
}

TEST_CASE("a descriptor that is shorter than the task is its first part") {
  Feeder feeder(0, 1);
  feeder.port.descriptor_bytes = sizeof(u64);
  CpuLaunch launch(feeder.port);
  Task task{1, 2};
  launch.begin(0, task);
  CHECK(task.first == 10);
  CHECK(task.second == 2);
}

}  // namespace
}  // namespace terrace::device
