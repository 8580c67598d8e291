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

/// The cells that keep their values: a bit a cell of the thread, line by line; the planes below `low` and from `high`
/// on, counted from the first one that is read.
/// @tparam anywhere false: only first and last cells of lines are kept, by two conditions, which stay in predicates
template <bool anywhere>
struct VolumeRims {
  u32 cells;
  bool left, right;  // where not anywhere: the first and the last cells of all of the thread's lines are kept
  i32 low, high;
  bool all;  // the level is not made: all cells are kept

  __device__ __forceinline__ bool keeps_plane(i32 plane) const { return all || plane < low || plane >= high; }
  template <class S>
  __device__ __forceinline__ bool keeps_cell(i32 i, i32 c) const {
    if constexpr (anywhere) {
      return (cells >> (i * S::cells + c) & 1) != 0;
    } else {
      return (c < S::radius && left) | (c >= S::cells - S::radius && right);
    }
  }
};

}  // namespace terrace::stencil
