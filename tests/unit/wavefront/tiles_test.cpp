// Sizes of kernel tiles by the papers' models, and the order of waves.
#include "kernels/wavefront/rules/tiles.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "kernels/wavefront/tile_sizes.hpp"

namespace terrace::wavefront {
namespace {

TEST_CASE("the tile in shared memory is that of the paper's processors") {
  TileLimits limits;  // 128 cores, 48 KiB, cells of 4 bytes
  CHECK(shared_tile(limits).height == 128);
  CHECK(shared_tile(limits).width == 64);
  limits.cores = 192;
  CHECK(shared_tile(limits).height == 128);
  limits.cell_bytes = 8;
  CHECK(shared_tile(limits).width == 32);
}

TEST_CASE("the flexible width is least costly by the model that it comes from") {
  // T(w) of eq. 1 to 3 of the paper, with B = 0 if no row waits for a processor.
  const auto total = [](double rows, double columns, double height, double P, const TileCosts& costs, double w) {
    const double tile = w * costs.diagonal + costs.synchronisation;
    const double rounds = rows / (height * P) - 1;
    const double blocked = rounds > 0 ? ((columns + height) / w - P) * tile * rounds : 0;
    return rows / height * (height / w + 1) * tile + blocked + (columns / w - 1) * tile;
  };
  for (const TileCosts& costs : {TileCosts{1, 1}, TileCosts{1, 40}, TileCosts{0.3, 500}}) {
    for (double rows : {32768.0, 4096.0 * 132, 1e6}) {
      const double height = 1024, columns = 65536, P = 132;
      const auto width =
          flexible_width(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), 1024, 132, costs);
      const double best = total(rows, columns, height, P, costs, static_cast<double>(width));
      for (double factor : {0.5, 0.8, 1.3, 2.0}) {
        CHECK(best <= total(rows, columns, height, P, costs, factor * static_cast<double>(width)) * 1.001);
      }
    }
  }
  CHECK(flexible_width(100, 5000, 1024, 132, {}) == 5000);
  CHECK(flexible_width(0, 0, 32, 1, {}) == 1);
}

TEST_CASE("heights of tiles are whole warps that the block needs, widths are theirs where sizes are fixed") {
  const auto square = *schedule_from("square_barrier");
  CHECK(tile_shape(square, 5000, 5000, {}, {}).height == 1024);
  CHECK(tile_shape(square, 5000, 5000, {}, {}).width == 1024);
  CHECK(tile_shape(square, 33, 5000, {}, {}).height == 64);
  CHECK(tile_shape(square, 0, 0, {}, {}).height == 32);
  CHECK(tile_shape(square, 33, 5000, {}, {}).skew == 0);
  const auto flexible = *schedule_from("peer_flexible");
  CHECK(tile_shape(flexible, 50000, 50000, {}, {1, 1e9}).width == 1024);
  CHECK(tile_shape(flexible, 50000, 50000, {132, 1024, 128, 48 << 10, 4}, {1, 0}).width == least_tile_width);
  CHECK(tile_shape(*schedule_from("shared_hyperplane"), 40, 50000, {}, {}).height == 64);
}

TEST_CASE("waves have every tile once, after all that it waits for") {
  for (i64 skew : {0, 1}) {
    for (const TileShape& shape : {TileShape{32, 32, skew}, TileShape{64, 32, skew}, TileShape{32, 100, skew}}) {
      for (i64 rows : {0, 1, 32, 33, 500}) {
        for (i64 columns : {0, 1, 32, 33, 700}) {
          const TileWaves waves{shape.down(rows), shape.across(columns), 1 + shape.ahead()};
          std::map<std::pair<i64, i64>, i64> wave_of;
          WavePlace place;
          for (i64 number = 0; number < waves.down * waves.across; ++number) {
            place.advance(waves, number);
            REQUIRE(place.begin <= number);
            REQUIRE((place.row >= 0 && place.row < waves.down && place.tile >= 0 && place.tile < waves.across));
            REQUIRE(wave_of.emplace(std::pair{place.row, place.tile}, place.wave).second);
          }
          CHECK(place.begin == waves.down * waves.across - 1);
          for (const auto& [tile, wave] : wave_of) {
            const auto [row, at] = tile;
            if (at > 0) CHECK(wave_of[{row, at - 1}] < wave);
            if (row > 0) CHECK(wave_of[{row - 1, std::min(at + shape.ahead(), waves.across - 1)}] < wave);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace terrace::wavefront
