// Tiles at home that a stage reads: each is compared with its checksum, once.
#include "pipeline/run/home_tiles.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "io/files/checksum.hpp"
#include "pipeline/base/error.hpp"
#include "tests/support/flip.hpp"
#include "tests/support/home_files.hpp"
#include "tests/support/stage_runner.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/toy_programs.hpp"

using namespace terrace;
using test::u64;

namespace fs = std::filesystem;

namespace {

/// Memory for some tiles.
test::RunnerOptions options() {
  test::RunnerOptions options;
  options.shares_host_memory = true;
  options.host_bytes = options.device_bytes = 30 * 4096;
  return options;
}

}  // namespace

TEST_CASE("What a stage has written is checked when another reads it") {
  test::TempFolder folder;
  test::PrefixChain program(512 * 8 + 7, 512, 3);
  test::StageRunner(folder.path(), program, options()).run();
  const std::vector<u64> expected = program.expected();
  const auto read = [&](std::int64_t begin, std::int64_t end) {
    const auto tiles = test::home_tiles(folder.path(), program);
    std::vector<u64> values(static_cast<std::size_t>(end - begin));
    tiles->read({{begin}, {end}}, values.data());
    return values == std::vector<u64>(expected.begin() + begin, expected.begin() + end);
  };
  const std::pair<std::int64_t, std::int64_t> boxes[] = {
      {0, 4103}, {512, 1024}, {500, 530}, {700, 701}, {4000, 4103}};
  for (const auto& [begin, end] : boxes) CHECK(read(begin, end));
  test::flip(folder / "sums.home", 1020 * 8);
  for (const auto& [begin, end] : boxes) {
    INFO(begin << " to " << end);
    // A part of the tile is enough, any part.
    if (begin < 1024 && end > 512)
      CHECK_THROWS_WITH(read(begin, end), Catch::Contains("dataset /toy/sums, [512, 1024)"));
    else CHECK(read(begin, end));
  }
  // Tiles that were read in part, and one more, are read again; the tile that was read completely is not.
  const auto again = test::home_tiles(folder.path(), program);
  std::vector<u64> some(700);
  again->read({{2048}, {2748}}, some.data());
  again->read({{2700}, {2748}}, some.data());
  CHECK(again->take_rereads().bytes == 512 * 8);
  CHECK(again->take_rereads().bytes == 0);
  // Tiles of earlier attempts that nobody has read since are read at the end; a stop interrupts it.
  const auto rest = test::home_tiles(folder.path(), program);
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
  const auto stopped = test::home_tiles(folder.path(), program);
  CHECK_THROWS_AS(stopped->check_rest(earlier, [](std::int64_t) { throw Stopped("now"); }), Stopped);
  // Side by side, and each tile is read by one of them.
  const auto tiles = test::home_tiles(folder.path(), program);
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
  test::flip(path, (50 * 3000 + 1234) * 8);
  const auto flipped = tiles();
  CHECK(is_right(*flipped, {{0, 0}, {30, 3000}}));
  for (int time = 0; time < 2; ++time) {
    CHECK_THROWS_WITH(is_right(*flipped, {{70, 0}, {71, 3000}}), Catch::Contains("[40, 80) x [1000, 2000)"));
  }
  CHECK(is_right(*flipped, {{70, 0}, {71, 900}}));
}
