// The descriptors of launches that make several levels of tiles in shared memory.
#pragma once

#include "kernels/stencil/cuda/common/lines.hpp"

namespace terrace::stencil {

using device::u64;

/// Some levels of a sum over offsets in two dimensions with fixed faces.
template <class T>
struct TileTask {
  const Term<T>* terms;
  i32 count, radius;
  i32 levels;
  Lines<T> from, to;
  RowRange input, output;
  i64 extent, width;  // of the grid
};

/// The same with skewed tiles (skewed_kernel.cuh).
template <class T>
struct SkewedTask {
  TileTask<T> sum;
  i64 rows, tiles;    // rows of tiles; tiles of a row
  i64 offset;         // equation 7.2: stream_offset * time_tile
  i64 arrays;         // of rows that are handed on: one a stream, at least 2
  T* handed_on;       // arrays x levels x 2 * radius x cells of a row of tiles
  u64* done;          // of a row of tiles: its tiles that are complete
  u64* read;          // of an array: one more than the last row of tiles that needs it no more
  const u64* aborts;  // the host's word: not 0: leave
};

/// A term where a tile's values lie in shared memory.
template <class T>
struct TileTerm {
  T coefficient;
  i32 place;  // of its value, from that of the cell on
};

}  // namespace terrace::stencil
