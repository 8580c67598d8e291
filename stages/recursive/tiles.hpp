// The cut of the recursive family's tables into tiles.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/recursive/tiles.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Bytes of the tiles of the largest block: x, u, v and the initial x; if there are paths, also the trails of x, u
/// and v and the next nodes of x; and for bits also the output of x. Factors of counts are bits.
std::int64_t block_bytes(const recursive::TileSpec& spec, std::int64_t side);

/// Memory that blocks need in addition to their tiles: of the device, and on the CPU, if OpenBLAS multiplies, of the
/// host.
std::int64_t workspace_bytes(const recursive::TileSpec& spec, std::int64_t side, const Resources& resources);

/// Rows and columns of the tiles of a table of `size` x `size` elements: as large as possible for one block, and
/// small enough that other tiles can be moved in parallel.
/// @throws JobError naming the least budgets if not even the smallest tiles fit
std::int64_t choose_tile(std::int64_t size, const recursive::TileSpec& spec, const Resources& resources);

/// Memory that blocks of a table need, by the side of its tiles.
struct TileNeeds {
  std::function<std::int64_t(std::int64_t side)> block = nullptr;      // bytes of the tiles of the largest block
  std::function<std::int64_t(std::int64_t side)> workspace = nullptr;  // in addition, as workspace_bytes()
  std::function<std::int64_t(std::int64_t side)> tile =
      nullptr;             // the largest of them; null: at most half of the block
  std::int64_t most = 0;   // the longest side that is good; 0: as is known for the device
  std::int64_t step = 16;  // sides are multiples of it if possible
  bool always = false;     // true if they must be multiples
  std::int64_t scale = 1;  // good sides are this many times longer than others
};
std::int64_t choose_tile(std::int64_t size, const TileNeeds& needs, const Resources& resources);

/// Numbers of parts into which each level of the recursion cuts its ranges.
/// @param schedule `auto` and `two_way`: two at every level; `r_way`: as many as make the parts of the disk's level
///        fit host memory, then as many as make those fit a device of its own, as in the paper; `plain`: single tiles
///        at once
/// @param across tiles across the table; @param tile their rows
std::vector<std::int64_t> choose_ways(const std::string& schedule, std::int64_t across, std::int64_t tile,
                                      std::int64_t element, const Resources& resources);

/// Number of parts in each direction into which the recursion cuts a table of `bytes` bytes until three squares of a
/// part fit a memory of `budget` bytes, as in the paper: so often the rest passes that memory.
double parts_that_fit(double bytes, std::size_t budget, const std::vector<std::int64_t>& ways, std::int64_t across);

/// Bytes that move into a memory and out of it.
struct Traffic {
  double in = 0, out = 0;
};

/// A table whose tiles are updated in place.
struct UpdatedTable {
  double bytes = 0;
  double block = 0;                // bytes of the tiles of a block: others do not stay in their place
  std::int64_t across = 1;         // tiles
  std::vector<std::int64_t> ways;  // of each level of the recursion
  double share = 1;                // of the updates of a closure, the fraction that is made
};

/// The bytes of the table that move with every part but the first, as far as it does not fit a memory of `budget`
/// bytes.
Traffic traffic_again(const UpdatedTable& table, std::size_t budget);

}  // namespace terrace::stages
