// The shape of the blocks of a wavefront table.
#pragma once

#include <cstdint>
#include <functional>

#include "stages/refuse.hpp"
#include "stages/stage_kind.hpp"
#include "stages/wavefront/measured.hpp"

namespace terrace::stages {

/// The sizes of a table from which the shape of its blocks is chosen.
struct TableNeed {
  std::int64_t rows = 0, columns = 0;
  std::int64_t table_bytes = 0;   // of a stored cell; 0: no table is kept
  std::int64_t grid_bytes = 0;    // of a grid's cell; 0: sequences
  std::int64_t item_bytes = 1;    // of a sequence's letter or value
  std::int64_t border_bytes = 0;  // of a border's cell: planes times the size of a value
  std::int64_t every = 0;         // one row and column in `every` is kept; 0: none
  std::int64_t kept_bytes = 0;    // of a kept cell, planes and all
  bool in_parts = false;          // blocks are swept in parts between kept lines
};

struct BlockShape {
  std::int64_t rows = 1, columns = 1;
};

/// Blocks in flight at a time in one launch: enough that the next has begun when one ends.
inline constexpr std::int64_t blocks_in_flight = measured::BlockSizes::in_flight;

/// Bytes that a block of `shape` holds in the memory of its device, carries included.
std::int64_t block_bytes(const TableNeed& need, const BlockShape& shape);

/// Rows or columns of a block, about `most`: all if none is kept before the last, else such that blocks begin at
/// multiples of `every`, or lie between two of them (then a divisor of it; not narrower than blocks are).
std::int64_t side_between_kept(std::int64_t most, std::int64_t extent, std::int64_t every);

/// Bands as wide as the table if a table is kept (written once, contiguous on disk), strips of columns if only
/// borders leave a block; cut in both directions if these do not fit.
/// @param workspace additional bytes of device memory that the kernel needs for blocks of a shape
/// @throws JobError naming the least budget if not even the smallest block fits
BlockShape choose_blocks(const TableNeed& need, const Resources& resources,
                         const std::function<std::int64_t(const BlockShape&)>& workspace);

}  // namespace terrace::stages
