// Arrays of a stage that share slots on disk, as they are never alive at once.
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "pipeline/base/error.hpp"
#include "tests/support/stage_runner.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/toy_programs.hpp"

using namespace terrace;
using test::At;
using test::u64;

namespace {

constexpr std::int64_t page = 4096;
constexpr std::int64_t numbers = 512;  // of a page

/// Arrays that are made one of another, block by block: x = 3 x + 1. Each is dropped when the next one is whole.
/// Every second one has tiles of two blocks.
class DroppedArrays : public test::ToyProgram {
 public:
  static constexpr std::int64_t blocks = 12, scratch = 9;

  /// An input whose first tiles come late.
  struct SlowSource : test::CountingSource {
    using CountingSource::CountingSource;
    void read(const Box& box, void* buffer) override {
      if (box.begin[0] < 2 * numbers) std::this_thread::sleep_for(std::chrono::milliseconds(30));
      CountingSource::read(box, buffer);
    }
  };

  DroppedArrays(std::int64_t slots, run::Order order) : order_(order) {
    constexpr std::int64_t size = blocks * numbers;
    arrays_.push_back({"start", run::Role::input, ElementType::u64, {size}, {numbers}, source});
    for (std::int64_t n = 1; n <= scratch; ++n) {
      run::ArraySpec& spec = arrays_.emplace_back();
      spec = {"x" + std::to_string(n), run::Role::scratch, ElementType::u64, {size}, {tile(n)}, nullptr, 1, 1};
      spec.slot_file = "all";
      spec.slots = slots;
      spec.slot_bytes = page;
    }
    arrays_.push_back({"end", run::Role::result, ElementType::u64, {size}, {numbers}});
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    return number > scratch ? std::nullopt : std::optional(run::Phase{number, blocks, order_});
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override {
    const Box own{{index * numbers}, {(index + 1) * numbers}}, all{{0}, {blocks * numbers}};
    const int from = static_cast<int>(phase.number);
    run::Block block{{{At::first, from, from == 0 ? 0 : 1, own, run::Mode::read},
                      {At::second, from + 1, 1, own, run::Mode::write}},
                     1};
    if (from > 0 && index + 1 == blocks) block.last_uses = {{from, 1, all}};
    return block;
  }
  static std::vector<u64> expected() {
    std::vector<u64> x(static_cast<std::size_t>(blocks * numbers));
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = test::CountingSource::value(i);
      for (std::int64_t n = 0; n <= scratch; ++n) x[i] = 3 * x[i] + 1;
    }
    return x;
  }
  std::shared_ptr<SlowSource> source = std::make_shared<SlowSource>(Extents{blocks * numbers});

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    const u64* in = d.at(At::first);
    u64* out = d.at(At::second);
    for (std::int64_t i = 0; i < numbers; ++i) out[i] = 3 * in[i] + 1;
    *result = out[0];
    return true;
  }

 private:
  static std::int64_t tile(std::int64_t array) { return array % 2 == 0 ? numbers : 2 * numbers; }
  run::Order order_;
};

/// Two arrays that follow one another, and a block's tile of two slots that a checkpoint may have named before it was
/// whole.
constexpr std::int64_t least_slots = 2 * DroppedArrays::blocks + 2;

test::RunnerOptions options_of(bool shares, std::size_t pages, int attempt) {
  test::RunnerOptions options;
  options.shares_host_memory = shares;
  options.host_bytes = options.device_bytes = pages * static_cast<std::size_t>(page);
  options.longest_pause = 20;
  options.seed = 1 + static_cast<std::uint32_t>(attempt);
  return options;
}

}  // namespace

TEST_CASE("Arrays that are not alive at once share the slots that are alive at a time") {
  for (const bool shares : {true, false}) {
    for (const std::size_t pages : {5, 9, 200}) {
      for (const run::Order order : {run::Order::any, run::Order::in_turn}) {
        INFO("shares " << shares << ", pages " << pages << ", any " << (order == run::Order::any));
        const test::TempFolder folder;
        DroppedArrays program(least_slots, order);
        test::StageRunner runner(folder.path(), program, options_of(shares, pages, 0));
        runner.run();
        CHECK(runner.result<u64>(static_cast<int>(DroppedArrays::scratch) + 1) == DroppedArrays::expected());
        // Before the first slot is a header of a page.
        CHECK(std::filesystem::file_size(folder / "all.slots") == (1 + least_slots) * page);
      }
    }
  }
}

TEST_CASE("Runs whose arrays share slots go on from any checkpoint") {
  for (const bool shares : {true, false}) {
    for (const std::size_t pages : {6, 200}) {
      INFO("shares " << shares << ", pages " << pages);
      const test::TempFolder folder;
      bool ended = false;
      for (int attempt = 0; !ended && attempt < 200; ++attempt) {
        DroppedArrays program(least_slots, run::Order::any);
        std::atomic<int> stop = 0;
        test::RunnerOptions options = options_of(shares, pages, attempt);
        options.checkpoint_seconds = 0.002;
        options.stop = &stop;
        test::StageRunner runner(folder.path(), program, options);
        std::thread stopper([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(5 + 5 * attempt));
          stop = attempt < 12 ? 1 : 0;
        });
        try {
          runner.run();
          ended = true;
          CHECK(runner.result<u64>(static_cast<int>(DroppedArrays::scratch) + 1) == DroppedArrays::expected());
        } catch (const Stopped&) {
        } catch (const Error& error) {
          UNSCOPED_INFO(error.what());
          ended = true;
          CHECK(false);
        }
        stopper.join();
      }
      CHECK(ended);
    }
  }
}

TEST_CASE("Arrays that share slots agree on how many there are, and are scratch") {
  DroppedArrays program(7, run::Order::any);
  std::vector<run::ArraySpec> arrays = program.arrays();
  const auto files = run::slot_files(arrays);
  REQUIRE(files.size() == 3);
  CHECK(files[1].name == "all");
  CHECK(files[1].arrays.size() == DroppedArrays::scratch);
  CHECK(files[1].slots == 7);
  CHECK(files[1].slot_bytes == page);
  arrays[2].slots = 8;
  CHECK_THROWS_AS(run::slot_files(arrays), Error);
  arrays[2].slots = 7;
  arrays.back().slot_file = "all";
  CHECK_THROWS_AS(run::slot_files(arrays), Error);
}
