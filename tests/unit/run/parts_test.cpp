// The small parts of a run: intervals, completions, memory pools, slots.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "pipeline/base/bands.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/run/executor/completions.hpp"
#include "pipeline/run/executor/pool.hpp"
#include "pipeline/run/executor/store.hpp"
#include "pipeline/run/intervals.hpp"
#include "tests/support/temp_folder.hpp"

using namespace terrace;

TEST_CASE("Intervals hold the numbers that were added, whatever the order, in as few ranges as can be") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    run::Intervals intervals;
    std::set<std::int64_t> expected;
    for (int i = 0; i < 12; ++i) {
      const std::int64_t begin = std::uniform_int_distribution<std::int64_t>(0, 40)(random);
      const std::int64_t end = begin + std::uniform_int_distribution<std::int64_t>(-2, 8)(random);
      intervals.add(begin, end);
      for (std::int64_t value = begin; value < end; ++value) expected.insert(value);
    }
    for (std::int64_t value = -1; value < 60; ++value)
      CHECK(intervals.contains(value) == (expected.count(value) > 0));
    CHECK(intervals.count() == static_cast<std::int64_t>(expected.size()));
    std::int64_t last = -1;
    for (const auto& [begin, end] : intervals.ranges()) {
      CHECK(begin > last);  // a gap before each: neighbours are one range
      CHECK(end > begin);
      last = end;
    }
  }
}

TEST_CASE("Bands hold the elements of an array in row-major order, as many as they may and one at least") {
  for (const Extents& shape : {Extents{}, Extents{7}, Extents{5, 7}, Extents{3, 4, 5}, Extents{4, 1, 6}}) {
    for (const std::int64_t most : {0, 1, 3, 7, 12, 20, 1000}) {
      INFO(to_string(shape) << " by " << most);
      const TileGrid bands = bands_of(shape, most);
      std::int64_t done = 0;
      for (std::int64_t number = 0; number < bands.count(); ++number) {
        const Box box = bands.box(number);
        CHECK((box.volume() <= std::max<std::int64_t>(most, 1)));
        const Extents strides = row_major_strides(shape);
        std::int64_t first = 0, last = 0;
        for (int d = 0; d < shape.rank(); ++d) {
          first += box.begin[d] * strides[d];
          last += (box.end[d] - 1) * strides[d];
        }
        CHECK(first == done);
        CHECK(last == done + box.volume() - 1);
        done += box.volume();
      }
      CHECK(done == volume(shape));
      if (most >= volume(shape)) CHECK(bands.count() == 1);
    }
  }
}

TEST_CASE("Calls after one that throws are made by the next drain") {
  run::Completions completions;
  std::string made;
  completions.post([&] { made += 'a'; });
  completions.post([] { throw std::runtime_error("disk"); });
  completions.post([&] { made += 'b'; });
  completions.post([&] { made += 'c'; });
  CHECK_THROWS_WITH(completions.drain(), "disk");
  CHECK(made == "a");
  completions.post([&] { made += 'd'; });
  CHECK(completions.drain());
  CHECK(made == "abcd");
  CHECK_FALSE(completions.drain());
}

namespace {

/// A pool over counted memory.
struct Counted {
  std::map<void*, std::size_t> live;
  std::size_t now = 0, most = 0;
  run::Pool pool;

  explicit Counted(std::size_t budget)
      : pool(
            budget,
            [this](std::size_t bytes) {
              void* memory = std::malloc(bytes);
              live[memory] = bytes;
              most = std::max(most, now += bytes);
              return memory;
            },
            [this](void* memory, std::size_t bytes) {
              if (live.at(memory) != bytes) throw std::logic_error("released with another size");
              live.erase(memory);
              now -= bytes;
              std::free(memory);
            }) {}
};

}  // namespace

TEST_CASE("A pool never goes beyond its budget, and gives what lies unused in other sizes") {
  Counted counted(1000);
  run::Pool& pool = counted.pool;
  std::byte* a = pool.take(600);
  REQUIRE(a != nullptr);
  CHECK(pool.take(401) == nullptr);
  CHECK_FALSE(pool.available(401));
  std::byte* b = pool.take(400);
  REQUIRE(b != nullptr);
  pool.give(a, 600);
  CHECK(pool.take(600) == a);
  pool.give(a, 600);
  CHECK(pool.available(500));
  std::byte* c = pool.take(500);  // the 600 are given up for it
  REQUIRE(c != nullptr);
  CHECK(counted.now == 900);
  CHECK(pool.allocated() == 900);
  pool.give(b, 400);
  pool.give(c, 500);
  pool.trim();
  CHECK(counted.now == 0);
  CHECK(counted.most <= 1000);
  CHECK(pool.peak() == counted.most);
}

TEST_CASE("A pool that grows beside gives large buffers when they are there, two ahead, within its budget") {
  constexpr std::size_t mib = 1u << 20;
  std::atomic<std::size_t> live = 0, most = 0;
  std::atomic<bool> fails = false, waits = false;
  const auto allocate = [&](std::size_t bytes) -> void* {
    while (waits) std::this_thread::yield();
    if (fails) throw DeviceError("allocate", "there is none");
    const std::size_t now = live += bytes;
    for (std::size_t known = most; known < now && !most.compare_exchange_weak(known, now);) continue;
    return std::malloc(bytes);
  };
  const auto release = [&](void* memory, std::size_t bytes) {
    live -= bytes;
    std::free(memory);
  };
  const auto wait = [](run::Pool& pool) {
    while (!pool.collect()) std::this_thread::yield();
  };
  {
    run::Pool pool(10 * mib, allocate, release, run::Growth::beside);
    std::byte* small = pool.take(mib);
    REQUIRE(small != nullptr);  // at once
    waits = true;
    CHECK(pool.take(4 * mib) == nullptr);
    CHECK(pool.growing());
    CHECK(pool.allocated() == 9 * mib);  // two at a time
    CHECK(pool.take(mib) == nullptr);    // nothing in addition
    waits = false;
    pool.freeze();  // when they are there
    CHECK_FALSE(pool.growing());
    std::byte *first = pool.take(4 * mib), *second = pool.take(4 * mib);
    REQUIRE(first != nullptr);
    REQUIRE(second != nullptr);
    CHECK_FALSE(pool.growing());
    pool.thaw();
    CHECK(pool.take(4 * mib) == nullptr);
    CHECK_FALSE(pool.growing());  // for which there is no room
    pool.give(first, 4 * mib);
    fails = true;
    CHECK(pool.take(3 * mib) == nullptr);
    CHECK_THROWS_AS(wait(pool), DeviceError);
    fails = false;
    CHECK(pool.allocated() == 5 * mib);
    CHECK(pool.take(3 * mib) == nullptr);
    wait(pool);
    std::byte* third = pool.take(3 * mib);
    REQUIRE(third != nullptr);
    pool.give(small, mib);
    pool.give(second, 4 * mib);
    pool.give(third, 3 * mib);
    CHECK(pool.peak() <= 10 * mib);
  }
  CHECK(most <= 10 * mib);
  {
    run::Pool pool(100 * mib, allocate, release, run::Growth::beside);
    CHECK(pool.take(4 * mib) == nullptr);
    while (pool.growing()) pool.collect();
    std::byte* first = pool.take(4 * mib);
    REQUIRE(first != nullptr);
    CHECK_FALSE(pool.growing());  // there is one more
    std::byte* second = pool.take(4 * mib);
    REQUIRE(second != nullptr);
    CHECK(pool.growing());  // the next two
    fails = true;           // of one that has not begun
    pool.give(first, 4 * mib);
    pool.give(second, 4 * mib);
  }
  CHECK(live == 0);
}

TEST_CASE("A frozen pool allocates and releases nothing, hands around what it has, and says what it would take") {
  Counted counted(1000);
  run::Pool& pool = counted.pool;
  while (pool.prepare(300, 5)) {
  }
  CHECK(counted.now == 900);
  CHECK(pool.in_use(300) == 0);
  pool.freeze();
  std::byte* a = pool.take(300);
  REQUIRE(a != nullptr);
  CHECK(pool.in_use(300) == 1);
  CHECK_FALSE(pool.starved_by_freeze());
  CHECK_FALSE(pool.prepare(300, 5));
  CHECK_FALSE(pool.available(100));
  CHECK(pool.available_thawed(100));
  CHECK(pool.take(100) == nullptr);
  CHECK(pool.starved_by_freeze());
  std::byte* other = pool.take(300);
  REQUIRE(other != nullptr);
  pool.give(other, 300);
  CHECK(pool.starved_by_freeze());  // a later request's failure does not change what the earlier one would take
  pool.trim();
  CHECK(counted.now == 900);
  pool.thaw();
  CHECK_FALSE(pool.starved_by_freeze());
  std::byte* b = pool.take(700);
  REQUIRE(b != nullptr);
  CHECK(counted.now == 1000);
  pool.give(a, 300);
  pool.give(b, 700);
}

TEST_CASE("Pools keep to the budget over random requests") {
  std::mt19937 random(7);
  Counted counted(5000);
  std::vector<std::pair<std::byte*, std::size_t>> taken;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t bytes = 100 * std::uniform_int_distribution<std::size_t>(1, 12)(random);
    if (random() % 2 != 0) {
      const bool available = counted.pool.available(bytes);
      std::byte* buffer = counted.pool.take(bytes);
      CHECK((buffer != nullptr) == available);
      if (buffer != nullptr) taken.emplace_back(buffer, bytes);
    } else if (!taken.empty()) {
      std::swap(taken[random() % taken.size()], taken.back());
      counted.pool.give(taken.back().first, taken.back().second);
      taken.pop_back();
    }
    if (counted.now > 5000) FAIL("beyond the budget");
  }
  for (auto& [buffer, bytes] : taken) counted.pool.give(buffer, bytes);
}

namespace {

/// A store of one scratch array of four tiles of one page.
struct OneArray {
  test::TempFolder folder;
  std::vector<run::ArraySpec> specs{{"a", run::Role::scratch, ElementType::u64, {2048}, {512}}};
  std::vector<TileGrid> grids{TileGrid({2048}, {512})};
  std::unique_ptr<run::Store> store;

  explicit OneArray(std::int64_t slots) {
    run::ArrayStorage storage;
    storage.slots = {std::make_shared<io::BlockFile>(folder / "a", io::BlockFile::Mode::create), slots, 4096};
    storage.slots.file->reserve(storage.slots.offset(slots));
    store = std::make_unique<run::Store>(specs, grids, std::vector{storage});
  }
};

}  // namespace

TEST_CASE("A slot is free exactly when nobody holds it") {
  OneArray array(6);
  run::Store& store = *array.store;
  std::mt19937 random(3);
  std::map<std::int64_t, int> holders;
  for (int i = 0; i < 5000; ++i) {
    std::int64_t held = 0;
    for (auto& [slot, count] : holders) held += count > 0;
    REQUIRE(store.free_slots(0) == 6 - held);
    const run::VersionKey key{0, static_cast<std::int64_t>(random() % 4), 1};
    switch (random() % 3) {
      case 0: {
        const std::int64_t slot = store.place_for(key);
        REQUIRE((slot == run::no_slot) == (held == 6));
        if (slot == run::no_slot) break;
        REQUIRE(holders[slot] == 0);
        store.hold(key, slot);
        ++holders[slot];
        break;
      }
      case 1:
        for (auto& [slot, count] : holders) {
          if (count == 0 || count > 3) continue;
          store.hold(key, slot);
          ++count;
          break;
        }
        break;
      default:
        for (auto& [slot, count] : holders) {
          if (count == 0 || random() % 2 != 0) continue;
          store.release(key, slot);
          --count;
          break;
        }
    }
  }
  store.hold({0, 0, 1}, run::home_slot);  // places that are no slots have no count
  store.release({0, 0, 1}, run::no_slot);
}

TEST_CASE("Slots that a checkpoint of an earlier attempt names are not given away") {
  OneArray array(3);
  array.store->hold({0, 0, 1}, 2);
  array.store->hold({0, 1, 1}, 0);
  const std::int64_t slot = array.store->place_for({0, 2, 1});
  CHECK(slot == 1);
  array.store->hold({0, 2, 1}, slot);
  CHECK(array.store->place_for({0, 3, 1}) == run::no_slot);
  array.store->release({0, 0, 1}, 2);
  CHECK(array.store->place_for({0, 3, 1}) == 2);
}

TEST_CASE("A tile that comes back different from what was written is an error that names file and tile") {
  OneArray array(3);
  run::Version version;
  version.key = {0, 2, 1};
  version.slot = 1;
  version.checksum = 17;
  version.box = {{8}, {12}};
  version.filled = 4;
  array.store->check(version, {1, 17});
  CHECK_THROWS_WITH(array.store->check(version, {1, 18}),
                    Catch::Contains((array.folder / "a").string() + ", slot 1, ") && Catch::Contains("[8, 12)") &&
                        Catch::Contains("--fresh"));
}
