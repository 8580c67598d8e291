// Memory over time: changes that are kept, and few of them however many there are.
#include "pipeline/run/profile/memory_log.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace terrace::run {
namespace {

/// Bytes that the records say a location holds at a time.
std::int64_t held_at(const MemoryLog& log, int device, double time) {
  std::int64_t bytes = 0;
  for (const MemoryRecord& record : log.records()) {
    if (record.device == device && record.time <= time) bytes = record.bytes;
  }
  return bytes;
}

TEST_CASE("Only changes are kept, of each location") {
  MemoryLog log;
  for (const double time : {1.0, 1.5, 2.0}) {
    log.add({0, -1, time, time < 2 ? 100 : 300});
    log.add({0, 1, time, 50});
  }
  log.end_stage(3);
  CHECK(log.records().size() == 5);
  CHECK(held_at(log, -1, 1.9) == 100);
  CHECK(held_at(log, -1, 2.5) == 300);
  CHECK(held_at(log, 1, 2.5) == 50);
  CHECK(held_at(log, -1, 3) == 0);
  CHECK(held_at(log, 1, 3) == 0);
}

TEST_CASE("Nothing held has no record") {
  MemoryLog log;
  log.add({0, -1, 1, 0});
  log.end_stage(2);
  CHECK(log.records().empty());
}

TEST_CASE("Changes within a step share a record, which has the most; the last of them holds afterwards") {
  MemoryLog log;
  log.add({0, -1, 1, 10});
  log.add({0, -1, 1.0002, 900});
  log.add({0, -1, 1.0004, 20});
  log.add({0, -1, 5, 30});
  REQUIRE(log.records().size() == 3);
  CHECK(held_at(log, -1, 1.0001) == 900);
  CHECK(held_at(log, -1, 3) == 20);
  CHECK(held_at(log, -1, 5) == 30);
}

TEST_CASE("A run of any length has few records, which never say less than was held") {
  std::mt19937 draw(7);
  MemoryLog log;
  std::vector<std::pair<double, std::int64_t>> held;
  std::int64_t most = 0;
  for (int change = 0; change < 200'000; ++change) {
    const double time = 0.01 * change;
    const auto bytes = static_cast<std::int64_t>(draw() % 1'000'000);
    log.add({change / 50'000, -1, time, bytes});
    if (change % 997 == 0) held.emplace_back(time, bytes);
    most = std::max(most, bytes);
  }
  CHECK(log.records().size() <= MemoryLog::most_records);
  CHECK(log.records().size() >= MemoryLog::most_records / 4);
  for (const auto& [time, bytes] : held) CHECK(held_at(log, -1, time) >= bytes);
  const auto record = std::max_element(log.records().begin(), log.records().end(),
                                       [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  CHECK(record->bytes == most);
}

}  // namespace
}  // namespace terrace::run
