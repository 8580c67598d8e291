// Kernel tiles of the papers' schedules: the cut of a block into tiles, and their order.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::wavefront {

using device::i64;

/// A block's rows are cut into rows of tiles of `height` rows each. Row i of a row of tiles, from 0, has in tile t
/// columns [t * width - i * skew, (t + 1) * width - i * skew) of the block, cut off at the block's edges: squares and
/// rectangles if skew is 0, parallelograms along the anti-diagonals (hyperplane) if it is 1.
struct TileShape {
  i64 height, width;
  i64 skew;

  /// Tile t needs the row of tiles above to be done up to its tile t + ahead() (Li 2020, eq. 6.3).
  TERRACE_HOST_DEVICE i64 ahead() const { return (skew * (height - 1) + width - 1) / width; }
  /// Tiles of a row of tiles over `columns` columns; at least 1.
  TERRACE_HOST_DEVICE i64 across(i64 columns) const {
    return columns < 1 ? 1 : (columns + skew * (height - 1) + width - 1) / width;
  }
  /// Rows of tiles over `rows` rows; at least 1.
  TERRACE_HOST_DEVICE i64 down(i64 rows) const { return rows < 1 ? 1 : (rows + height - 1) / height; }
};

/// Tiles [0, down * across) of a block in the order of their waves: all tiles of a wave may be computed in parallel
/// once all earlier waves are done. Tile (r, t) is in wave t + r * step. The last wave has one tile.
struct TileWaves {
  i64 down, across, step;

  TERRACE_HOST_DEVICE i64 first_row(i64 wave) const { return wave < across ? 0 : (wave - across) / step + 1; }
  TERRACE_HOST_DEVICE i64 end_row(i64 wave) const { return wave / step < down ? wave / step + 1 : down; }
};

/// The place of a tile in the order of waves. Moves forward only.
struct WavePlace {
  i64 wave = 0, begin = 0;  // the wave, and the tiles before it
  i64 row = 0, tile = 0;

  /// Moves to tile number `number`.
  TERRACE_HOST_DEVICE void advance(const TileWaves& waves, i64 number) {
    for (;;) {
      const i64 first = waves.first_row(wave), end = waves.end_row(wave);
      const i64 count = end > first ? end - first : 0;
      if (number < begin + count) {
        row = first + (number - begin);
        tile = wave - row * waves.step;
        return;
      }
      begin += count;
      ++wave;
    }
  }
};

}  // namespace terrace::wavefront
