// The descriptor of a launch that streams planes through registers.
#pragma once

#include "kernels/stencil/cuda/lines.hpp"
#include "kernels/stencil/measured.hpp"

namespace terrace::stencil {

/// An axis of a plane, cut into tiles.
struct VolumeAxis {
  i64 extent;  // of the grid
  i32 tiles;   // along the axis
  i32 stride;  // cells from one tile's begin to the next one's
  i32 wraps;   // not 0: periodic; 0: cells within the radius of the ends keep their values
};

/// Some levels of a sum over a star or a box in three dimensions. A plane is a row of the grid: the cells of one
/// index along axis 0. Thread blocks take tiles of chunks of planes.
template <class T>
struct VolumeTask {
  static constexpr i32 most_terms = 125;

  T coefficients[most_terms];  // in the order of the terms
  Lines<T> from, to;
  RowRange rows;            // planes that are made
  i64 extent, width;        // planes of the grid; cells of a plane
  i64 chunk_rows;           // planes of a thread block's chunk
  VolumeAxis middle, last;  // axes 1 and 2
  i32 levels;               // to make, at most the kernel's
  i32 wraps_rows;           // not 0: planes are read modulo the extent
  i32 keeps_rows;           // not 0: the planes within the radius of the grid's ends keep their values
};

}  // namespace terrace::stencil
