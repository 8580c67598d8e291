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
struct VolumeRims {
  u32 cells;
  i32 low, high;
  bool all;  // the level is not made: all cells are kept

  __device__ __forceinline__ bool keeps_plane(i32 plane) const { return all || plane < low || plane >= high; }
  __device__ __forceinline__ bool keeps_cell(i32 number) const { return (cells >> number & 1) != 0; }
};

}  // namespace terrace::stencil
