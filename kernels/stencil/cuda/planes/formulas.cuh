// One level of heat3d or wave3d whose planes stream through registers (operators/heat.hpp, operators/wave.hpp).
//
// The Laplacian's sum begins with the cell of the plane above and ends with the cell of the plane below. So a level
// keeps two values a cell for it: the cell of the newest plane, and the sum of that plane's other neighbours and the
// plane above it.
#pragma once

#include "kernels/stencil/cuda/planes/cells.cuh"
#include "kernels/stencil/operators/laplacian.hpp"

namespace terrace::stencil {

/// Sums of neighbours that lack the plane below, and cells of the newest plane.
template <class S>
struct VolumeLaplacian {
  using T = typename S::Value;
  VolumeCells<S> sum, centre;

  /// The Laplacian of a cell of the newest plane. @param below the cell of the plane below it
  __device__ __forceinline__ T with(T below, i32 i, i32 c) const {
    return fused(T(-6), centre[i][c], plus(sum[i][c], below));
  }
  /// Takes a plane in place of the newest one.
  __device__ __forceinline__ void take(const VolumeNear<S>& near) {
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        T value = plus(centre[i][c], near.at[i][c + 1]);
        value = plus(value, near.at[i + 1][c]);
        value = plus(value, near.at[i + 1][c + 2]);
        sum[i][c] = plus(value, near.at[i + 2][c + 1]);
        centre[i][c] = near.at[i + 1][c + 1];
      }
    }
  }
};

/// heat3d; the operand is dt * D.
template <class S>
struct VolumeHeat {
  using T = typename S::Value;
  VolumeLaplacian<S> laplacian;

  /// Takes plane `plane`, and gives the plane above it.
  template <bool edges, bool rims>
  __device__ __forceinline__ void complete(const VolumeFields<S>& x, VolumeFields<S>& made, const T* operands,
                                           const VolumeRims& kept, i32 plane) {
    const bool plane_kept = rims && kept.keeps_plane(plane - 1);
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const bool keeps = plane_kept || (edges && kept.keeps_cell(i * S::cells + c));
        const T u = laplacian.centre[i][c], value = fused(operands[0], laplacian.with(x.of[0][i][c], i, c), u);
        made.of[0][i][c] = (edges || rims) && keeps ? u : value;
      }
    }
  }
  template <bool edges, bool rims>
  __device__ __forceinline__ void add(const VolumeNear<S>& near, const T*, const VolumeRims&, i32) {
    laplacian.take(near);
  }
};

/// wave3d; the operand is (c * dt) squared. `drift` is (u + u) - previous, or previous where cells keep their values.
template <class S>
struct VolumeWave {
  using T = typename S::Value;
  VolumeLaplacian<S> laplacian;
  VolumeCells<S> drift;

  template <bool edges, bool rims>
  __device__ __forceinline__ void complete(const VolumeFields<S>& x, VolumeFields<S>& made, const T* operands,
                                           const VolumeRims& kept, i32 plane) {
    const bool plane_kept = rims && kept.keeps_plane(plane), above_kept = rims && kept.keeps_plane(plane - 1);
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const bool cell_kept = edges && kept.keeps_cell(i * S::cells + c);
        const T u = laplacian.centre[i][c], next = x.of[0][i][c], before = x.of[1][i][c];
        const T value = fused(operands[0], laplacian.with(next, i, c), drift[i][c]);
        const bool keeps = (edges || rims) && (above_kept || cell_kept);
        made.of[0][i][c] = keeps ? u : value;
        made.of[1][i][c] = keeps ? drift[i][c] : u;
        drift[i][c] = (edges || rims) && (plane_kept || cell_kept) ? before : minus(plus(next, next), before);
      }
    }
  }
  template <bool edges, bool rims>
  __device__ __forceinline__ void add(const VolumeNear<S>& near, const T*, const VolumeRims&, i32) {
    laplacian.take(near);
  }
};

}  // namespace terrace::stencil
