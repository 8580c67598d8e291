// The chunks of rows that the thread blocks of a launch make.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::stencil {

using device::i64;

/// Rows of a tile that a thread block makes, counted from the launch's first row on.
struct RowChunk {
  i64 tile, begin, count;
};

/// The cut of a launch into tiles, and of these into chunks of rows, one for each thread block.
///
/// The first thread blocks have chunks of the tiles at the grid's ends, where a row takes longer. The next ones have
/// chunks of the other tiles, the same number of each, as high as possible: a thread block makes some rows more than
/// its chunk has. Where their number is not that of the thread blocks that the device runs, they leave the last rows
/// of all tiles to lower chunks: a thread block begins where another one has ended.
struct RowChunks {
  i64 all;               // rows of the launch
  i64 stride;            // columns from one tile's begin to the next one's, in two dimensions
  i64 tiles;             // the first and the last one are at the grid's ends, if any is
  i64 end_tiles;         // of these at the grid's ends: at most two
  i64 rows, end_rows;    // of a chunk of a tile that is not at an end, and of one that is
  i64 count, end_count;  // of these chunks, of a tile
  i64 low_rows;          // rows of a chunk below these; the last one may have less

  TERRACE_HOST_DEVICE constexpr i64 inner_tiles() const { return tiles - end_tiles; }
  TERRACE_HOST_DEVICE constexpr i64 end_blocks() const { return end_tiles * end_count; }
  /// Rows of a tile below its chunks of `rows` rows.
  TERRACE_HOST_DEVICE constexpr i64 rows_below() const { return all > count * rows ? all - count * rows : 0; }
  TERRACE_HOST_DEVICE constexpr i64 blocks() const {
    return end_blocks() + inner_tiles() * (count + (rows_below() + low_rows - 1) / low_rows);
  }

  /// @param block below blocks(), which is below 2^32
  TERRACE_HOST_DEVICE constexpr RowChunk chunk(device::u32 block) const {
    const auto ends = static_cast<device::u32>(end_tiles), inner = static_cast<device::u32>(inner_tiles());
    const auto before = static_cast<device::u32>(end_blocks());
    if (block < before) return chunk_of(block % ends == 0 ? 0 : tiles - 1, block / ends * end_rows, end_rows);
    const i64 place = (block - before) / inner, tile = (block - before) % inner + (ends > 0 ? 1 : 0);
    return place < count ? chunk_of(tile, place * rows, rows)
                         : chunk_of(tile, count * rows + (place - count) * low_rows, low_rows);
  }

 private:
  TERRACE_HOST_DEVICE constexpr RowChunk chunk_of(i64 tile, i64 begin, i64 height) const {
    return {tile, begin, all - begin < height ? all - begin : height};
  }
};

}  // namespace terrace::stencil
