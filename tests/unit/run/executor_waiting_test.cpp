// The executor while its next launch waits: for tiles, or for host buffers.
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/base/error.hpp"
#include "tests/support/stage_runner.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/toy_programs.hpp"

using namespace terrace;
using test::At;
using test::u64;

namespace {

/// Two chains. The one block of the first reads a tile that comes late. The second begins with a block that needs
/// nothing and ends with a block that needs the result of the first.
class LateChain : public test::ToyProgram {
 public:
  struct Source : test::CountingSource {
    using CountingSource::CountingSource;
    void read(const Box& box, void* buffer) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      CountingSource::read(box, buffer);
    }
  };

  LateChain() {
    arrays_.resize(2);
    arrays_[0] = {"late", run::Role::input, ElementType::u64, {512}, {512}, std::make_shared<Source>(Extents{512})};
    arrays_[1] = {"row", run::Role::result, ElementType::u64, {1536}, {512}};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number > 1) return std::nullopt;
    return run::Phase{number, number + 1, run::Order::chain};
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override {
    if (phase.number == 0) {
      return {{{At::first, 0, 0, part_box(0), run::Mode::read}, {At::second, 1, 1, part_box(0), run::Mode::write}},
              1};
    }
    if (index == 0) return {{{At::second, 1, 1, part_box(1), run::Mode::write}}, 1};
    return {{{At::first, 1, 1, part_box(0), run::Mode::read}, {At::second, 1, 1, part_box(2), run::Mode::write}}, 1};
  }

  std::vector<std::int64_t> phases;  // of the blocks, as they were computed

 protected:
  bool compute(const run::Phase& phase, const Descriptor& d, u64* result, int) override {
    phases.push_back(phase.number);
    for (std::int64_t i = 0; i < d.count(At::second); ++i) {
      d.at(At::second)[i] = d.at(At::first) == nullptr ? 7 : d.at(At::first)[i];
    }
    *result = 0;
    return true;
  }

 private:
  static Box part_box(std::int64_t tile) { return {{tile * 512}, {tile * 512 + 512}}; }
};

/// A block of the first device that takes until the executor has slept, or a long time, and a chain of the second
/// device for which more host buffers are to be allocated than in one step.
class LongStaging : public test::ToyProgram {
 public:
  static constexpr std::int64_t large = 4 << 20;               // elements of a tile
  static constexpr std::int64_t wanted = 20;                   // times to sleep
  static constexpr auto most_time = std::chrono::seconds(30);  // a busy machine takes seconds to give the buffers

  /// @param thread the executor's, as the system numbers it
  explicit LongStaging(pid_t thread) : status_("/proc/self/task/" + std::to_string(thread) + "/status") {
    arrays_.resize(2);
    arrays_[0] = {"large", run::Role::scratch, ElementType::u64, {8 * large}, {large}};
    arrays_[1] = {"row", run::Role::result, ElementType::u64, {1024}, {512}};
  }
  int devices(int available) const override { return std::min(available, 2); }
  int device(const run::Phase& phase, std::int64_t, int) const override { return phase.number == 0 ? 0 : 1; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number > 1) return std::nullopt;
    return run::Phase{number, number + 1, number == 0 ? run::Order::any : run::Order::chain};
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override {
    if (phase.number == 0) return {{}, 1};
    return {{{At::first, 1, 1, {{index * 512}, {index * 512 + 512}}, run::Mode::write}}, 1};
  }

  std::atomic<bool> begun = false;  // the first block
  std::int64_t sleeps = -1;         // of the executor's thread in the first block's time

 protected:
  bool compute(const run::Phase& phase, const Descriptor&, u64* result, int) override {
    *result = 0;
    if (phase.number > 0) return true;
    begun = true;
    const std::int64_t before = times_slept();
    const auto end = std::chrono::steady_clock::now() + most_time;
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      sleeps = times_slept() - before;
    } while (sleeps <= wanted && std::chrono::steady_clock::now() < end);
    return true;
  }

 private:
  /// Number of times so far that the executor's thread has given up its processor to wait.
  std::int64_t times_slept() const {
    std::ifstream file(status_);
    std::string name;
    std::int64_t count = -1;
    while (file >> name) {
      if (name == "voluntary_ctxt_switches:") file >> count;
    }
    return count;
  }
  std::string status_;
};

}  // namespace

TEST_CASE("A chain does not begin while an earlier one of its device waits") {
  for (const bool shares : {true, false}) {
    test::TempFolder folder;
    LateChain program;
    test::RunnerOptions options;
    options.shares_host_memory = shares;
    test::StageRunner runner(folder.path(), program, options);
    runner.run();
    CHECK(program.phases == std::vector<std::int64_t>{0, 1, 1});
    CHECK(runner.result<u64>(1)[1024] == test::CountingSource::value(0));
  }
}

TEST_CASE("The executor sleeps while nothing can be done about the buffers that a launch needs") {
  test::TempFolder folder;
  LongStaging program(::gettid());
  std::atomic<int> stop = 0;
  test::RunnerOptions options;
  options.shares_host_memory = false;
  options.devices = 2;
  options.host_bytes = std::size_t{1} << 30;
  options.device_bytes = std::size_t{1} << 30;
  options.reserve = false;
  options.stop = &stop;
  // The stop comes between two steps in which buffers are allocated.
  options.on_allocate_host = [&](std::size_t bytes) {
    if (bytes < LongStaging::large * sizeof(u64)) return;
    while (!program.begun) std::this_thread::yield();
    stop = 1;
  };
  CHECK_THROWS_AS(test::StageRunner(folder.path(), program, options).run(), Stopped);
  // It looks at running work every 50 us, less often on a busy machine. An executor that never sleeps sleeps 0 times.
  CHECK(program.sleeps > LongStaging::wanted);
}
