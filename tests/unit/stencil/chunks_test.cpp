// The chunks of rows of a launch.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <queue>
#include <vector>

#include "kernels/stencil/cuda/common/choose_chunks.hpp"

namespace terrace::stencil {
namespace {

/// Looks that thread blocks make every row of every tile once. @return the time in which a device runs them that
/// begins one where another one ends
i64 time_of(const RowChunks& chunks, const ChunkTimes& times) {
  std::vector<int> made(static_cast<std::size_t>(chunks.tiles * chunks.all));
  std::priority_queue<i64, std::vector<i64>, std::greater<>> ends;  // in eighths of a row
  i64 last = 0;
  for (i64 block = 0; block < chunks.blocks(); ++block) {
    const RowChunk chunk = chunks.chunk(static_cast<device::u32>(block));
    REQUIRE((chunk.tile >= 0 && chunk.tile < chunks.tiles && chunk.begin >= 0 && chunk.count >= 1));
    REQUIRE(chunk.begin + chunk.count <= chunks.all);
    for (i64 row = 0; row < chunk.count; ++row) {
      ++made[static_cast<std::size_t>(chunk.tile * chunks.all + chunk.begin + row)];
    }
    const bool at_end = chunks.end_tiles > 0 && (chunk.tile == 0 || chunk.tile + 1 == chunks.tiles);
    i64 begin = 0;
    if (static_cast<i64>(ends.size()) == times.resident) begin = ends.top(), ends.pop();
    ends.push(begin + (chunk.count + times.extra) * (at_end ? times.eighths_at_ends : 8));
    last = std::max(last, begin + (chunk.count + times.extra) * (at_end ? times.eighths_at_ends : 8));
  }
  CHECK(std::ranges::count(made, 1) == static_cast<std::ptrdiff_t>(made.size()));
  return (last + 7) / 8;
}

TEST_CASE("thread blocks make every row of every tile once, in the time that was found") {
  for (const i64 resident : {1, 2, 3, 20, 264, 396}) {
    for (const i64 tiles : {1, 2, 3, 7, 47, 94, 300, 700}) {
      for (const i64 all : {1, 2, 9, 100, 1376, 2000}) {
        for (const bool has_ends : {false, true}) {
          for (const i64 extra : {3, 48, 80}) {
            RowChunks chunks{};
            chunks.all = all;
            chunks.tiles = tiles;
            chunks.end_tiles = has_ends ? std::min<i64>(tiles, 2) : 0;
            const ChunkTimes times{resident, extra, extra + 40, std::min<i64>(all, 2), all < 1500 ? 300 : all, 10};
            CAPTURE(resident, tiles, all, has_ends, extra);
            const i64 time = choose_chunks(chunks, times);
            CHECK(time_of(chunks, times) <= time);
          }
        }
      }
    }
  }
}

TEST_CASE("thread blocks that equal chunks would leave idle make the rows below in lower ones") {
  for (const i64 tiles : {33, 47, 49, 94, 98, 200}) {
    RowChunks chunks{};
    chunks.all = 16384;
    chunks.tiles = tiles;
    const ChunkTimes times{264, 64, 64, 2, 16384, 10};
    const i64 time = choose_chunks(chunks, times), equal = (chunks.all * tiles + 263) / 264;
    const i64 of_each_tile = (chunks.all + 264 / tiles - 1) / (264 / tiles) + times.extra;
    CAPTURE(tiles);
    CHECK(time <= of_each_tile);
    CHECK(time <= equal + 6 * times.extra);
    CHECK(time >= equal + times.extra);
  }
}

}  // namespace
}  // namespace terrace::stencil
