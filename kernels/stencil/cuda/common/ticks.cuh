// The loop of a thread block that streams through a tile.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::stencil {

using device::i32;

/// Makes the ticks [0, ticks) of a tile by advance<edges, rims>(tick), with a loop for each of its forms. Edges are
/// cells of a row or plane that are kept, or made in another way, at the grid's end: has_edges(). Rims are rows or
/// planes that are, as are levels that the launch does not make: ticks [begin, end) have none of these, up to
/// end_of_plain_ticks(end), which the tile is asked for again behind it; all others may.
template <class Tile>
__device__ __forceinline__ void make_ticks(Tile& tile, i32 ticks, i32 begin, i32 end) {
  const bool has_edges = tile.has_edges();
  i32 tick = 0;
#pragma unroll 1
  while (tick < ticks) {
    const i32 until = begin <= tick && tick < end ? tile.end_of_plain_ticks(end) : tick;
    if (until <= tick) {
      tile.template advance<true, true>(tick);
      ++tick;
    } else if (has_edges) {
#pragma unroll 1
      for (; tick < until; ++tick) tile.template advance<true, false>(tick);
    } else {
#pragma unroll 1
      for (; tick < until; ++tick) tile.template advance<false, false>(tick);
    }
  }
}

}  // namespace terrace::stencil
