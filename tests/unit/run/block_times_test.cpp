// Times of blocks: a device's clock against the run's, and the times that one attempt leaves to the next.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "pipeline/run/executor/block_clock.hpp"
#include "pipeline/run/profile.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::run {
namespace {

using device::u64;
using test::TempFolder;

constexpr u64 zero_1970 = 1'764'000'000'000'000'000;  // as a GPU may count
constexpr u64 micro = 1000;

TEST_CASE("A clock whose zero is known is taken as it is") {
  BlockClock clock(u64{5'000'000'000});
  const auto [begin, end] = clock.span(7'000'000'000, 9'500'000'000, 1.5, 5);
  CHECK(begin == Approx(2));
  CHECK(end == Approx(4.5));
}

TEST_CASE("What a launch does not say is taken from the host") {
  BlockClock clock(0);
  CHECK(clock.span(0, 0, 1.5, 5) == std::pair(1.5, 5.0));
}

TEST_CASE("Another clock is bounded by what the host sees of its blocks") {
  BlockClock clock(0);
  // Each block lasts 100 us; it begins so long after its dispatch, and is seen so long after its end.
  const double first_late = 40e-6, second_late = 3e-6, seen_late = 30e-6;
  const auto at = [](double seconds) { return zero_1970 + static_cast<u64>(seconds * 1e9); };
  clock.span(at(1), at(1) + 100 * micro, 1 - first_late, 1 + 100e-6 + seen_late);
  const auto [begin, end] = clock.span(at(2), at(2) + 100 * micro, 2 - second_late, 2 + 100e-6 + seen_late);
  CHECK(begin == Approx(2 - second_late).margin(1e-6));
  CHECK(end - begin == Approx(100e-6).margin(1e-7));
  const auto [next_begin, next_end] = clock.span(at(3), at(3) + 100 * micro, 3 - first_late, 3 + 200e-6);
  CHECK(next_begin == Approx(3 - second_late).margin(1e-6));
  CHECK(next_end < 3 + 200e-6);
}

TEST_CASE("Clocks that drift apart are never farther apart than the host sees") {
  BlockClock clock(0);
  for (int block = 0; block < 1000; ++block) {
    const double begin = 10.0 * block, end = begin + 1;
    const auto at = [](double seconds) { return zero_1970 + static_cast<u64>(seconds * 1e9 * (1 + 2e-6)); };
    const auto [found_begin, found_end] = clock.span(at(begin), at(end), begin - 10e-6, end + 50e-6);
    CHECK(found_begin >= begin - 10e-6 - 1e-6);
    CHECK(found_end <= end + 50e-6 + 1e-6);
  }
}

BlockRecord block(std::int64_t first, double begin) {
  BlockRecord record;
  record.first = first;
  record.begin = begin;
  record.end = begin + 0.5;
  return record;
}

TEST_CASE("Blocks of all attempts are kept, up to what the last of them left whole") {
  TempFolder folder;
  double started = 0;
  {
    Profile profile;
    profile.begin_attempt(folder.path(), 1);
    profile.begin_stage({});
    started = profile.started();
    profile.add(block(0, 1));
    profile.add(block(2, 2));
    profile.log_blocks(true);
    profile.add(block(4, 3));
    profile.log_blocks(true);
  }
  const auto path = folder.path() / "1.blocks";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
  Profile profile;
  profile.begin_attempt(folder.path(), 2);
  CHECK(profile.started() == started);
  CHECK(profile.now() >= profile.seconds());
  profile.begin_stage({});
  profile.add(block(4, 9));
  const std::vector<BlockRecord>& blocks = profile.blocks();
  REQUIRE(blocks.size() == 3);
  CHECK(blocks[0].attempt == 1);
  CHECK(blocks[1].first == 2);
  CHECK(blocks[1].begin == 2);
  CHECK(blocks[2].attempt == 2);
}

/// Milliseconds of [0, most) that lie in one of the spans.
double covered(const std::vector<std::pair<int, int>>& spans, int most) {
  std::vector<bool> busy(static_cast<std::size_t>(most));
  for (const auto& [begin, end] : spans) {
    for (int ms = begin; ms < end; ++ms) busy[static_cast<std::size_t>(ms)] = true;
  }
  return static_cast<double>(std::count(busy.begin(), busy.end(), true));
}

TEST_CASE("Time in computation counts once, whatever the order in which spans end and are added") {
  std::mt19937 random(7);
  const auto below = [&](int most) { return std::uniform_int_distribution<int>(0, most - 1)(random); };
  for (int round = 0; round < 200; ++round) {
    BusyTime time;
    std::vector<std::pair<int, int>> spans;
    for (int i = 0; i < 30; ++i) {
      const int begin = below(300);
      spans.emplace_back(begin, begin + below(40));
      time.add(1e-3 * spans.back().first, 1e-3 * spans.back().second);
    }
    CHECK(time.seconds() == Approx(1e-3 * covered(spans, 400)));
  }
}

TEST_CASE("Time in computation adds up over more spans than are kept apart") {
  BusyTime time;
  constexpr int many = 100'000;
  // Two devices: the first computes for 1 ms of every 4 ms, the second for 2 ms from the middle of that on; the host
  // sees what the second computes some blocks later.
  for (int n = 0; n < many; ++n) {
    time.add(4e-3 * n, 4e-3 * n + 1e-3);
    if (n >= 100) time.add(4e-3 * (n - 100) + 0.5e-3, 4e-3 * (n - 100) + 2.5e-3);
  }
  CHECK(time.seconds() == Approx(2.5e-3 * (many - 100) + 1e-3 * 100));
}

TEST_CASE("A stage adds up its blocks, and the parts of its work apart") {
  Profile profile;
  profile.begin_stage({});
  // On two devices: the long block ends last and is seen last.
  BlockRecord whole = block(0, 0), part = block(1, 8);
  whole.end = 10;
  part.end = 9;
  whole.operations = 40;
  part.operations = 2;
  part.device = 1;
  profile.add(part, "pass 1");
  profile.add(whole, "pass 1");
  profile.add(block(2, 20), "pass 2");
  const StageRecord& stage = profile.stage();
  CHECK(stage.blocks == 3);
  CHECK(stage.operations == 42);
  CHECK(stage.computing.seconds() == Approx(10.5));
  REQUIRE(stage.parts.size() == 2);
  CHECK(stage.parts[0].name == "pass 1");
  CHECK(stage.parts[0].blocks == 2);
  CHECK(stage.parts[0].operations == 42);
  CHECK(stage.parts[0].computing.seconds() == Approx(10));
  CHECK(stage.parts[1].computing.seconds() == Approx(0.5));
}

TEST_CASE("A log of blocks that is rubbish counts for nothing") {
  TempFolder folder;
  folder.write("1.blocks", std::string(1000, 'x'));
  folder.write("2.blocks", "");
  Profile profile;
  profile.begin_attempt(folder.path(), 3);
  CHECK(profile.blocks().empty());
}

TEST_CASE("A run of very many blocks has a short profile") {
  TempFolder folder;
  Profile profile;
  profile.begin_attempt(folder.path(), 1);
  profile.begin_stage({});
  constexpr std::int64_t many = 3'000'000;
  for (std::int64_t n = 0; n < many; ++n) profile.add(block(n, static_cast<double>(n)));
  CHECK(profile.blocks().size() < Profile::most_records);
  std::int64_t count = 0;
  for (const BlockRecord& record : profile.blocks()) count += record.count;
  CHECK(count == many);
}

}  // namespace
}  // namespace terrace::run
