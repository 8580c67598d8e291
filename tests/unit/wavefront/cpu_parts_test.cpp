// Small parts of sweeps: layouts of bands, transposition, grids of blocks.
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "kernels/wavefront/cpu/band_rows.hpp"
#include "kernels/wavefront/cpu/transpose.hpp"
#include "kernels/wavefront/rules/block_grid.hpp"

namespace terrace::wavefront {
namespace {

TEST_CASE("bands cover every row once, in order, and fill their lanes to the last row") {
  for (std::int64_t lanes : {1, 2, 4, 8, 16, 32}) {
    for (std::int64_t most : {1, 4, 24}) {
      const BandLayout layout(lanes, most);
      for (std::int64_t rows = 1; rows < 3 * lanes * most + 70; ++rows) {
        std::int64_t next = 0;
        bool legal = true;
        for (std::int64_t i = 0; i < layout.count(rows); ++i) {
          const BandRows band = layout.band(rows, i);
          legal = legal && band.row == next && band.count() > 0 && band.rows_per_lane <= most;
          legal = legal && (band.last_lane == lanes - 1 || (band.rows_per_lane == 1 && band.last_lane < lanes));
          next += band.count();
        }
        if (!legal || next != rows) FAIL(rows << " rows over " << lanes << " lanes, at most " << most);
      }
    }
  }
  CHECK(BandLayout(8, 4).count(0) == 1);
  CHECK(BandLayout(8, 4).band(0, 0).count() == 0);
}

TEMPLATE_TEST_CASE("transposing squares of 16 bytes is exact for every element size", "", short, int, long long) {
  constexpr std::int64_t columns = 32, lanes = 16, stride = 19, to_stride = 37;
  std::vector<TestType> from(columns * stride), to(lanes * to_stride, TestType(-1));
  std::iota(from.begin(), from.end(), TestType(0));
  transpose(from.data(), stride, columns, lanes, to.data(), to_stride);
  std::int64_t wrong = 0;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    for (std::int64_t column = 0; column < to_stride; ++column) {
      const TestType wanted =
          column < columns ? from[static_cast<std::size_t>(column * stride + lane)] : TestType(-1);
      wrong += to[static_cast<std::size_t>(lane * to_stride + column)] != wanted;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a grid of blocks counts the smaller blocks at its far edges, and one block where there are no cells") {
  const BlockGrid grid{10, 7, 4, 3};
  CHECK(grid.across() == 3);
  CHECK(grid.down() == 3);
  CHECK(grid.rows_of(2) == 2);
  CHECK(BlockGrid{0, 7, 4, 7}.count() == 1);
  CHECK(BlockGrid{0, 0, 4, 3}.count() == 1);
}

}  // namespace
}  // namespace terrace::wavefront
