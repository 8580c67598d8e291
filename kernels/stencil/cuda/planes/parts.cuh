// One level of cells in two parts whose planes stream through registers: of an operator (operator.hpp), or of
// formulas that a job writes (cuda/planes/written_parts.hpp).
//
// When a plane has come with its neighbours, `begin` of the cell makes all that needs no cell of the plane below;
// when that plane's own cells have come, `end` makes the rest. Between them a level keeps the values that `begin`
// hands on, and the cells themselves.
#pragma once

#include "kernels/stencil/cuda/planes/cells.cuh"

namespace terrace::stencil {

/// What `begin` reads of one of a thread's cells.
template <class S>
struct VolumeAbove {
  const VolumeNear<S> (&near)[S::fields];
  const VolumeFields<S>&x, &above;
  i32 i, c;

  __device__ __forceinline__ typename S::Value operator()(i32 field, i32 d0, i32 d1, i32 d2) const {
    if (d0 < 0) return above.of[field][i][c];
    return d1 == 0 && d2 == 0 ? x.of[field][i][c] : near[field].at[i + 1 + d1][c + 1 + d2];
  }
};

/// What `end` reads.
template <class S>
struct VolumeBelow {
  const VolumeFields<S>&x, &below;
  i32 i, c;

  __device__ __forceinline__ typename S::Value operator()(i32 field, i32 d0, i32, i32) const {
    return d0 > 0 ? below.of[field][i][c] : x.of[field][i][c];
  }
};

template <class S>
struct VolumeParts {
  using T = typename S::Value;
  using Cell = typename S::Cell;
  static_assert(S::radius == 1);

  T handed[S::lines][S::cells][Cell::handed > 0 ? Cell::handed : 1];
  VolumeFields<S> centre;  // the newest plane

  /// Takes plane `plane`, and gives the plane above it.
  template <bool edges, bool rims, class Kept>
  __device__ __forceinline__ void complete(const VolumeFields<S>& x, VolumeFields<S>& made, const T* operands,
                                           const Kept& kept, i32 plane) {
    const bool plane_kept = rims && kept.keeps_plane(plane - 1);
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const bool keeps = plane_kept || (edges && kept.template keeps_cell<S>(i, c));
        T values[S::fields];
        Cell::end(operands[0], VolumeBelow<S>{centre, x, i, c}, handed[i][c], values);
#pragma unroll
        for (i32 f = 0; f < S::fields; ++f) {
          made.of[f][i][c] = (edges || rims) && keeps ? centre.of[f][i][c] : values[f];
        }
      }
    }
  }
  /// Takes the plane with its neighbours in place of the newest one.
  __device__ __forceinline__ void add(const VolumeNear<S> (&near)[S::fields], const VolumeFields<S>& x) {
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        Cell::begin(VolumeAbove<S>{near, x, centre, i, c}, handed[i][c]);
#pragma unroll
        for (i32 f = 0; f < S::fields; ++f) centre.of[f][i][c] = x.of[f][i][c];
      }
    }
  }
};

}  // namespace terrace::stencil
