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

/// The cells that keep their values: of the thread, and the planes below `low` and from `high` on, counted from the
/// first one that is read.
/// @tparam anywhere true: the thread's cells have a bit each, line by line; false: they are the first or the last
/// cells of lines, or the first or the last lines, by conditions that stay in predicates. That is so where no axis is
/// shorter than a tile: then a tile ends where the grid does. H200, 2026-12-01, star of radius 1, 1024 x 512 x 512:
/// f32 1048 Gcell/s, with bits 893; f64 586 and 578.
template <bool anywhere>
struct VolumeRims {
  u32 cells;
  bool left, right, top, bottom;
  i32 low, high;
  bool all;  // the level is not made: all cells are kept

  __device__ __forceinline__ bool keeps_plane(i32 plane) const { return all || plane < low || plane >= high; }
  template <class S>
  __device__ __forceinline__ bool keeps_cell(i32 i, i32 c) const {
    if constexpr (anywhere) {
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
