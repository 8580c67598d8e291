// The loop of a thread block that streams through a tile.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::stencil {

using device::i32;

/// Makes the ticks [0, ticks) of a tile by advance<edges, rims>(tick), with a loop for each of its forms. Edges are
/// cells of a row or plane that are kept, or made in another way, at the grid's end: has_edges(). Rims are rows or
/// planes that are, as are levels that the launch does not make: ticks [begin, end) have none of these; all others
/// may.
/// @param end below `begin`: all ticks may have rims
template <class Tile>
__device__ __forceinline__ void make_ticks(Tile& tile, i32 ticks, i32 begin, i32 end) {
  if (end < begin) begin = end = ticks;
  const bool has_edges = tile.has_edges();
  i32 tick = 0;
#pragma unroll 1
  for (i32 part = 0; part < 3; ++part) {
    const i32 until = part == 0 ? begin : part == 1 ? end : ticks;
    if (part != 1) {
#pragma unroll 1
      for (; tick < until; ++tick) tile.template advance<true, true>(tick);
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
