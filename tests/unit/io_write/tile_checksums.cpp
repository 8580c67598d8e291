// Checksums of tiles that are read in the order of the file.
#include "io/files/tile_checksums.hpp"

#include <fcntl.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <utility>

#include "io/files/checksum.hpp"
#include "io/files/copy_bytes.hpp"
#include "io/files/durable.hpp"
#include "pipeline/base/error.hpp"
#include "tests/support/temp_folder.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

std::vector<std::byte> noise(std::int64_t bytes) {
  std::vector<std::byte> values(static_cast<std::size_t>(bytes));
  std::uint64_t state = 88172645463325252u;
  for (std::byte& value : values) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    value = static_cast<std::byte>(state >> 32);
  }
  return values;
}

struct Case {
  Extents shape, tile;
  std::int64_t element;
};

}  // namespace

TEST_CASE("tiles read in the order of the file have the checksums of their packed copies") {
  const Case cases[] = {{{}, {}, 8},
                        {{1000}, {1000}, 1},
                        {{1000}, {300}, 8},
                        {{10'000}, {1}, 2},
                        {{7, 9000}, {3, 2}, 1},
                        {{300, 1000}, {100, 300}, 4},
                        {{300, 1000}, {7, 1000}, 4},
                        {{1500, 1001}, {800, 1001}, 8},  // a tile of more than one piece
                        {{5, 17, 130}, {2, 17, 50}, 2},
                        {{5, 17, 130}, {2, 4, 130}, 4},
                        {{4, 0, 3}, {2, 2, 2}, 4}};
  for (const Case& c : cases) {
    INFO(to_string(c.shape) << " in tiles of " << to_string(c.tile));
    const TileGrid grid(c.shape, c.tile);
    const auto array = noise(volume(c.shape) * c.element);
    std::int64_t total = 0;
    for (std::int64_t first = 0, last = 0; first < grid.count(); first = last) {
      last = end_of_tile_group(grid, first);
      REQUIRE(last > first);
      std::int64_t reached = 0;
      const auto sums =
          checksums_of_tiles(grid, c.element, first, last, [&](std::int64_t offset, std::span<std::byte> buffer) {
            REQUIRE(offset >= reached);
            REQUIRE(buffer.size() <= 4u << 20);
            REQUIRE(reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096 ==
                    static_cast<std::size_t>(offset) % 4096);
            reached = offset + static_cast<std::int64_t>(buffer.size());
            total += static_cast<std::int64_t>(buffer.size());
            std::memcpy(buffer.data(), array.data() + offset, buffer.size());
          });
      REQUIRE(sums.size() == static_cast<std::size_t>(last - first));
      for (std::int64_t tile = first; tile < last; ++tile) {
        const std::uint64_t expected =
            checksum_box(array.data(), c.shape, static_cast<std::size_t>(c.element), grid.box(tile));
        REQUIRE(sums[static_cast<std::size_t>(tile - first)] == expected);
      }
    }
    CHECK(total == volume(c.shape) * c.element);  // each byte once
  }
}

TEST_CASE("at most 4096 tiles are read at a time, and none of another row") {
  CHECK(end_of_tile_group({{10'000}, {1}}, 0) == 4096);
  CHECK(end_of_tile_group({{10'000}, {1}}, 8192) == 10'000);
  CHECK(end_of_tile_group({{3, 10}, {1, 4}}, 0) == 3);
  CHECK(end_of_tile_group({{3, 10}, {1, 4}}, 4) == 6);
  CHECK(end_of_tile_group({{}, {}}, 0) == 1);
}

TEST_CASE("a read that fails ends it") {
  const TileGrid grid({100, 100}, {10, 10});
  CHECK_THROWS_AS(
      checksums_of_tiles(grid, 4, 0, 10, [](std::int64_t, std::span<std::byte>) { throw IoError("f", "x"); }),
      IoError);
}

TEST_CASE("tiles are copied to another place, with the checksums of what was read") {
  const test::TempFolder folder;
  const Extents shape{300, 20'000};
  const TileGrid grid(shape, {128, 6000});
  const auto array = noise(volume(shape) * 4);
  const Descriptor from = open_file(folder / "from", O_RDWR | O_CREAT);
  const Descriptor to = open_file(folder / "to", O_RDWR | O_CREAT);
  write_fully(from.get(), array, 100, "from");
  const FilePlace source{from.get(), folder / "from", 100}, target{to.get(), folder / "to", 4096};
  std::int64_t copied = 0;
  const auto count = [&](std::int64_t bytes) { copied += bytes; };
  // A row of tiles, and a part of one.
  for (const auto& [first, last] : {std::pair{0, 4}, {4, 5}, {5, 8}, {8, 12}}) {
    const auto sums = copy_tiles(source, target, grid, 4, first, last, count);
    REQUIRE(sums.size() == static_cast<std::size_t>(last - first));
    for (std::int64_t tile = first; tile < last; ++tile) {
      CHECK(sums[static_cast<std::size_t>(tile - first)] == checksum_box(array.data(), shape, 4, grid.box(tile)));
    }
  }
  CHECK(copied == volume(shape) * 4);
  std::vector<std::byte> back(array.size());
  read_fully(to.get(), back, 4096, "to");
  CHECK(back == array);
  CHECK_THROWS_AS(copy_tiles(source, target, grid, 4, 0, 4, [](std::int64_t) { throw Stopped("now"); }), Stopped);
  const FilePlace late{from.get(), folder / "from", 5000};
  CHECK_THROWS_WITH(copy_tiles(late, target, grid, 4, 8, 12, count), Catch::Contains("the file ends here"));
}
