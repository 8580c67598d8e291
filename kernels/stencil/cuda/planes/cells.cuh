// The cells of a thread, as the levels of a tile take them.
#pragma once

#include "kernels/stencil/cuda/planes/shape.cuh"

namespace terrace::stencil {

/// A thread's cells of a plane.
template <class S>
using VolumeCells = typename S::Value[S::lines][S::cells];

/// The same of each field.
template <class S>
struct VolumeFields {
  VolumeCells<S> of[S::fields];
};

/// A thread's cells of a plane with their neighbours along both axes of the plane.
template <class S>
struct VolumeNear {
  typename S::Value at[S::lines + 2 * S::radius][S::cells + 2 * S::radius];
};

/// The cells that keep their values: of a thread those near the ends of its lines and of the axis of lines; the
/// planes below `low` and from `high` on, counted from the first one that is read. A tile ends where the grid does,
/// so that cells near an end are the outermost ones of the outermost threads.
struct VolumeRims {
  bool left, right, top, bottom;  // the thread's first and last cells of a line, its first and last lines
  u32 cells;                      // a bit a cell, line by line; read where the radius is more than a thread's cells
  i32 low, high;
  bool all;  // the level is not made: all cells are kept

  __device__ __forceinline__ bool keeps_plane(i32 plane) const { return all || plane < low || plane >= high; }
  /// A few conditions for all cells, which stay in predicates.
  template <class S>
  __device__ __forceinline__ bool keeps_cell(i32 i, i32 c) const {
    if constexpr (S::radius > S::cells) {
      return (cells >> (i * S::cells + c) & 1) != 0;
    } else {
      bool keeps = false;
      if (c < S::radius) keeps = keeps | left;
      if (c >= S::cells - S::radius) keeps = keeps | right;
      if (i < S::radius) keeps = keeps | top;
      if (i >= S::lines - S::radius) keeps = keeps | bottom;
      return keeps;
    }
  }
};

}  // namespace terrace::stencil
