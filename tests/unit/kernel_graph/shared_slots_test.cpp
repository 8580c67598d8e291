// Arrays of a graph's parts share space on disk as far as they are not alive at once.
#include "stages/kernel_graph/shared_slots.hpp"

#include <catch2/catch.hpp>

namespace terrace::stages {
namespace {

/// A scratch array of f32 with 1024 columns, whose tiles have some rows.
run::ArraySpec array(std::int64_t rows, std::int64_t tile_rows, run::Role role = run::Role::scratch) {
  run::ArraySpec made;
  made.role = role;
  made.type = ElementType::f32;
  made.shape = {rows, 1024};
  made.tile = {tile_rows, 1024};
  return made;
}

/// Bytes of the file that arrays share.
std::int64_t bytes_of(const std::vector<run::ArraySpec>& arrays) {
  for (const run::ArraySpec& spec : arrays) {
    if (spec.role != run::Role::scratch) continue;
    CHECK(spec.slot_file == arrays.front().slot_file);
    CHECK(spec.slots == arrays.front().slots);
    CHECK(spec.slot_bytes == arrays.front().slot_bytes);
  }
  return arrays.front().slots * arrays.front().slot_bytes;
}

TEST_CASE("arrays of parts that follow one another take the space of two") {
  constexpr std::int64_t tiles = 16, tile_bytes = 64 * 1024 * 4;
  std::vector<run::ArraySpec> arrays(10, array(tiles * 64, 64));
  std::vector<std::vector<LiveTiles>> parts(11, std::vector<LiveTiles>(10));
  for (std::size_t n = 0; n < 10; ++n) {
    parts[n][n] = {tiles, 0, 1};
    parts[n + 1][n] = {tiles, 0, 0};
  }
  share_slots(arrays, parts);
  // And a quarter of it, for what only the last checkpoint names.
  CHECK(bytes_of(arrays) == 2 * tiles * tile_bytes * 5 / 4);
}

TEST_CASE("states that are made anew have space for a generation more") {
  std::vector<run::ArraySpec> arrays(2, array(640, 64));
  share_slots(arrays, {{{10, 0, 1}, {}}, {{20, 10, 1}, {}}, {{10, 0, 0}, {10, 0, 1}}});
  CHECK(bytes_of(arrays) == 30 * 64 * 4096);
}

TEST_CASE("a block can write while all that is kept is named") {
  std::vector<run::ArraySpec> arrays(3, array(64, 64));
  share_slots(arrays, {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}});
  CHECK(bytes_of(arrays) == 6 * 64 * 4096);
}

TEST_CASE("tiles of any sizes take the space that they need") {
  std::vector<run::ArraySpec> arrays = {array(4096, 4096), array(4096, 1000), array(4096, 1), array(4096, 3)};
  arrays.push_back(array(4096, 8, run::Role::result));
  constexpr LiveTiles none;
  const std::vector<std::vector<LiveTiles>> parts = {{{1, 0, 1}, none, none, none, none},
                                                     {none, {5, 0, 1}, none, none, none},
                                                     {none, none, {4096, 0, 2}, none, none},
                                                     {none, none, none, {1366, 0, 2}, none}};
  share_slots(arrays, parts);
  CHECK(arrays[4].slot_file.empty());
  // 5 tiles of 1000 rows are the most at a time, a tile of 4096 rows the most that a block writes.
  CHECK(bytes_of(arrays) >= (5 * 1000 + 4096) * 4096);
  CHECK(bytes_of(arrays) <= (5 * 1000 + 4096) * 4096 * 17 / 16);
}

TEST_CASE("large tiles have large slots, and small ones small") {
  std::vector<run::ArraySpec> arrays(3, array(4096, 1024));
  arrays[2] = array(1, 1);
  share_slots(arrays, {{{4, 0, 1}, {4, 0, 1}, {1, 1, 1}}});
  CHECK(arrays.front().slot_bytes == 1 << 20);
  std::vector<run::ArraySpec> small(3, array(1, 1));
  share_slots(small, {{{1, 0, 1}, {1, 0, 1}, {1, 1, 1}}});
  CHECK(small.front().slot_bytes == 4096);
}

}  // namespace
}  // namespace terrace::stages
