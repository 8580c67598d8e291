// The CPU as a device: memory, limits of control groups, the queue of launches.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>

#include "kernels/device/cpu_context.hpp"
#include "kernels/device/cpu_rates.hpp"
#include "kernels/device/touched_memory.hpp"
#include "pipeline/base/cache_folder.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::device {
namespace {

namespace fs = std::filesystem;

/// A control group tree of a test's own, removed at its end.
class GroupTree {
 public:
  GroupTree() : root_(fs::temp_directory_path() / ("terrace-groups-" + std::to_string(getpid()))) {
    fs::create_directories(root_);
  }
  ~GroupTree() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  ControlGroupLimits limits(const std::string& membership) const {
    return control_group_limits(root_.string(), membership);
  }

 private:
  fs::path root_;
};

TEST_CASE("rates that the environment states are not measured, and what states none is an error") {
  const auto rates = [](const char* text) {
    REQUIRE(setenv("TERRACE_CPU_RATES", text, 1) == 0);
    try {
      const CpuContext context(1);
      unsetenv("TERRACE_CPU_RATES");
      return context.limits();
    } catch (...) {
      unsetenv("TERRACE_CPU_RATES");
      throw;
    }
  };
  const Limits limits = rates("5e9,0,125");
  CHECK(limits.operations_per_second == 5e9);
  CHECK(limits.multiply_adds_per_second == 0);
  CHECK(limits.memory_bytes_per_second == 125);
  for (const char* text : {"", "5e9", "5e9,1", "5e9,1,125,", "5e9,1,125 ", "0,1,125", "5e9,1,0", "5e9,-1,125",
                           "inf,1,125", "a,1,1", ",1,1"}) {
    CHECK_THROWS_WITH(rates(text),
                      Catch::Contains("TERRACE_CPU_RATES: \"" + std::string(text) + "\" states no rates"));
  }
}

TEST_CASE("rates are measured once on a machine and kept, and a file that holds none is replaced") {
  const fs::path folder = fs::temp_directory_path() / ("terrace-rates-" + std::to_string(getpid()));
  const auto file = [&](int threads) {
    return folder / "terrace" / "cpu" / cache_name(cpu_model_name() + " sse2 " + std::to_string(threads));
  };
  const char* stated = std::getenv("TERRACE_CPU_RATES");
  const std::string before = stated == nullptr ? "" : stated;
  unsetenv("TERRACE_CPU_RATES");
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  const CpuRates measured = cpu_rates(InstructionSet::sse2, 1);
  CHECK(measured.memory_bytes_per_second > 0);
  CHECK(fs::file_size(file(1)) > 5);
  std::ofstream(file(2)) << "5e9,0,125\n";
  CHECK(cpu_rates(InstructionSet::sse2, 2).memory_bytes_per_second == 125);
  std::ofstream(file(3)) << "5e9,no";
  CHECK(cpu_rates(InstructionSet::sse2, 3).operations_per_second > 0);
  std::string text;
  std::getline(std::ifstream(file(3)) >> std::ws, text);
  CHECK(text != "5e9,no");
  CHECK(std::distance(fs::directory_iterator(folder / "terrace" / "cpu"), fs::directory_iterator()) == 3);
  unsetenv("XDG_CACHE_HOME");
  if (stated != nullptr) setenv("TERRACE_CPU_RATES", before.c_str(), 1);
  fs::remove_all(folder);
}

TEST_CASE("Touched memory is zero, begins at a huge page and can be written to its end") {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{4096}, std::size_t{2} << 20, (std::size_t{9} << 20) + 5}) {
    INFO("bytes " << bytes);
    auto* memory = static_cast<unsigned char*>(map_touched(bytes));
    REQUIRE(memory != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(memory) % (2u << 20) == 0);
    CHECK(std::count(memory, memory + bytes, 0) == static_cast<std::ptrdiff_t>(bytes));
    std::memset(memory, 0x5A, bytes);
    unmap_touched(memory, bytes);
  }
  CHECK(map_touched(std::size_t{1} << 60) == nullptr);
}

TEST_CASE("control groups of version 2 limit by the tightest group on the way to the root") {
  GroupTree tree;
  tree.write("cpu.max", "max 100000\n");
  tree.write("jobs/cpu.max", "250000 100000\n");
  tree.write("jobs/one/cpu.max", "400000 100000\n");
  tree.write("jobs/memory.max", "1000\n");
  tree.write("jobs/memory.current", "900\n");
  tree.write("jobs/one/memory.max", "max\n");
  tree.write("jobs/one/memory.current", "10\n");
  const auto limits = tree.limits("0::/jobs/one\n");
  CHECK(limits.processors == 2.5);
  CHECK(limits.memory_bytes == 1000);
  CHECK(limits.memory_free == 100);
}

TEST_CASE("control groups of version 1 limit by each controller's own tree") {
  GroupTree tree;
  tree.write("cpu,cpuacct/box/cpu.cfs_quota_us", "150000\n");
  tree.write("cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
  tree.write("memory/box/memory.limit_in_bytes", "5000\n");
  tree.write("memory/box/memory.usage_in_bytes", "6000\n");
  const auto limits = tree.limits("4:memory:/box\n3:cpu,cpuacct:/box\n");
  CHECK(limits.processors == 1.5);
  CHECK(limits.memory_bytes == 5000);
  CHECK(limits.memory_free == 0);
}

TEST_CASE("no groups, no quota and torn lines mean no limit") {
  GroupTree tree;
  tree.write("cpu/cpu.cfs_quota_us", "-1\n");
  tree.write("cpu/cpu.cfs_period_us", "100000\n");
  tree.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  for (const char* membership : {"", "0::/\n", "nonsense\n", "2:cpu:/\n1:memory:/\n"}) {
    const auto limits = tree.limits(membership);
    CHECK(limits.processors == 1e9);
    CHECK(limits.memory_bytes == static_cast<std::size_t>(-1));
  }
}

TEST_CASE("the CPU context says what it is") {
  const auto context = make_cpu_context(3);
  const Limits& limits = context->limits();
  CHECK(limits.processors == 3);
  CHECK(limits.kind == "cpu " + std::string(name_of(best_instruction_set())));
  CHECK_THAT(limits.name, Catch::Contains("3 threads"));
  CHECK(limits.memory_bytes > (std::size_t{1} << 20));
  CHECK(limits.free_bytes > 0);
  CHECK(limits.free_bytes <= limits.memory_bytes);
  CHECK(context->shares_host_memory());
  CHECK(make_cpu_context()->limits().processors == usable_threads());
}

TEST_CASE("memory is aligned, and what cannot be had is an error") {
  const auto context = make_cpu_context(1);
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{8} << 20}) {
    void* device = context->allocate(bytes);
    void* host = context->allocate_host(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(device) % 256 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(host) % 4096 == 0);
    std::memset(device, 1, bytes);
    std::memset(host, 1, bytes);
    context->release(device, bytes);
    context->release_host(host, bytes);
  }
  CHECK_THROWS_AS(context->allocate(std::size_t{1} << 62), DeviceError);
  CHECK_THROWS_AS(context->allocate(~std::size_t{0}), DeviceError);
}

TEST_CASE("launches run one after another on a thread of their own, and events follow them") {
  const auto context = make_cpu_context(2);
  std::atomic<bool> go{false};
  std::atomic<int> order{0};
  int first = 0, second = 0;
  const auto caller = std::this_thread::get_id();
  bool elsewhere = false;
  const auto begin = context->record(Queue::compute);
  context->submit([&] {
    while (!go) std::this_thread::yield();
    elsewhere = std::this_thread::get_id() != caller;
    first = ++order;
  });
  const auto middle = context->record(Queue::compute);
  context->submit([&] { second = ++order; });
  const auto end = context->record(Queue::compute);
  CHECK_FALSE(middle->done());
  CHECK_FALSE(end->done());
  go = true;
  end->wait();
  CHECK(middle->done());
  CHECK(begin->done());
  CHECK(elsewhere);
  CHECK(first == 1);
  CHECK(second == 2);
  CHECK(end->seconds_since(*begin) >= middle->seconds_since(*begin));
}

TEST_CASE("what a launch throws comes out of the next event of the queue and of no later one") {
  const auto context = make_cpu_context(1);
  context->submit([] { throw ComputeError("too large"); });
  context->submit([] { throw ComputeError("second"); });
  const auto event = context->record(Queue::compute);
  const auto later = context->record(Queue::compute);
  CHECK_THROWS_WITH(event->wait(), "too large");
  CHECK_THROWS_WITH(event->done(), "too large");
  CHECK_NOTHROW(later->wait());
  CHECK_NOTHROW(context->record(Queue::up)->wait());
}

TEST_CASE("destroying a context waits for its launches") {
  std::atomic<int> ended{0};
  {
    const auto context = make_cpu_context(1);
    for (int i = 0; i < 3; ++i) {
      context->submit([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++ended;
      });
    }
  }
  CHECK(ended == 3);
}

TEST_CASE("copies are in order with the launches of their queue") {
  const auto context = make_cpu_context(1);
  int source = 1, target = 0;
  context->copy(Queue::up, &target, &source, sizeof target);
  CHECK(context->record(Queue::up)->done());
  CHECK(target == 1);
  context->submit([&] { source = 2; });
  context->copy(Queue::compute, &target, &source, sizeof target);
  context->record(Queue::compute)->wait();
  CHECK(target == 2);
}

TEST_CASE("the pool calls every index once, at the same time, again and again") {
  ThreadPool pool(4);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> inside{0};
    std::atomic<unsigned> seen{0};
    pool.run_on_all([&](int index) {
      seen |= 1u << index;
      ++inside;
      while (inside < 4) std::this_thread::yield();
    });
    REQUIRE(seen == 15u);
  }
}

TEST_CASE("what one thread of the pool throws is thrown again once all have returned") {
  ThreadPool pool(3);
  std::atomic<int> returned{0};
  const auto work = [&](int index) {
    if (index == 2) throw std::runtime_error("third");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++returned;
  };
  CHECK_THROWS_WITH(pool.run_on_all(work), "third");
  CHECK(returned == 2);
  CHECK_NOTHROW(pool.run_on_all([](int) {}));
}

}  // namespace
}  // namespace terrace::device
