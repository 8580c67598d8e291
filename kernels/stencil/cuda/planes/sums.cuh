// One level of a sum whose planes stream through registers: a thread's partial sums.
//
// sum[i] belongs to plane z - radius + 1 + i, where z is the newest plane: the sums of the planes before it lack the
// terms of planes to come; those of the planes after it have the terms of the planes up to it.
#pragma once

#include "kernels/stencil/cuda/planes/cells.cuh"

namespace terrace::stencil {

/// The number of a star's term in its order. At most one of the offsets is not 0.
template <class S>
constexpr __device__ __forceinline__ i32 star_term(i32 d0, i32 d1, i32 d2) {
  constexpr i32 r = S::radius;
  return d0 < 0 ? d0 + r : d0 > 0 ? 5 * r + d0 : d1 < 0 ? 2 * r + d1 : d1 > 0 ? 4 * r + d1 : 3 * r + d2;
}
/// The same of a box.
template <class S>
constexpr __device__ __forceinline__ i32 box_term(i32 d0, i32 d1, i32 d2) {
  return ((d0 + S::radius) * S::span + d1 + S::radius) * S::span + d2 + S::radius;
}

/// A star: the terms of other planes are of the cell itself. So a new plane ends the sums of the plane `radius` above
/// it without any neighbours, and several levels follow from one another before any are exchanged.
template <class S>
struct VolumeStar {
  using T = typename S::Value;
  VolumeCells<S> sum[2 * S::radius];

  /// Takes plane `plane`: ends the sums of the plane `radius` above it, and goes on with those of planes between.
  template <bool edges, bool rims, class Kept>
  __device__ __forceinline__ void complete(const VolumeFields<S>& x, VolumeFields<S>& made, const T* coefficients,
                                           const Kept& kept, i32 plane) {
    go_on<edges, rims>(x.of[0], sum[0], made.of[0], S::radius, coefficients, kept, plane);
#pragma unroll
    for (i32 i = 0; i + 1 < S::radius; ++i) {
      go_on<edges, rims>(x.of[0], sum[i + 1], sum[i], S::radius - 1 - i, coefficients, kept, plane);
    }
  }

  /// Adds the plane's own terms to its sums, and begins those of planes below it.
  template <bool edges, bool rims, class Kept>
  __device__ __forceinline__ void add(const VolumeNear<S>& near, const T* coefficients, const Kept& kept, i32 plane) {
    const bool plane_kept = rims && kept.keeps_plane(plane);
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const T value = sum_of_plane(near, coefficients, i, c);
        const bool keeps = plane_kept || (edges && kept.template keeps_cell<S>(i, c));
        sum[S::radius - 1][i][c] = (edges || rims) && keeps ? near.at[i + S::radius][c + S::radius] : value;
#pragma unroll
        for (i32 k = S::radius; k < 2 * S::radius; ++k) {
          const i32 down = S::radius - 1 - k;
          const T x = near.at[i + S::radius][c + S::radius], coefficient = coefficients[star_term<S>(down, 0, 0)];
          sum[k][i][c] = down == -S::radius ? times(coefficient, x) : fused(coefficient, x, sum[k + 1][i][c]);
        }
      }
    }
  }

 private:
  /// The sums of the plane `down` above the new one, with its term.
  template <bool edges, bool rims, class Kept>
  static __device__ __forceinline__ void go_on(const VolumeCells<S>& x, const VolumeCells<S>& before,
                                               VolumeCells<S>& after, i32 down, const T* coefficients,
                                               const Kept& kept, i32 plane) {
    const bool plane_kept = rims && kept.keeps_plane(plane - down);
    const T coefficient = coefficients[star_term<S>(down, 0, 0)];
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const bool keeps = plane_kept || (edges && kept.template keeps_cell<S>(i, c));
        const T value = fused(coefficient, x[i][c], before[i][c]);
        after[i][c] = (edges || rims) && keeps ? before[i][c] : value;
      }
    }
  }
  __device__ __forceinline__ T sum_of_plane(const VolumeNear<S>& near, const T* coefficients, i32 i, i32 c) const {
    T value = sum[S::radius][i][c];
#pragma unroll
    for (i32 d1 = -S::radius; d1 <= S::radius; ++d1) {
#pragma unroll
      for (i32 d2 = -S::radius; d2 <= S::radius; ++d2) {
        if (d1 != 0 && d2 != 0) continue;
        value = fused(coefficients[star_term<S>(0, d1, d2)], near.at[i + S::radius + d1][c + S::radius + d2], value);
      }
    }
    return value;
  }
};

/// A box: all terms are of the plane's cells and their neighbours.
template <class S>
struct VolumeBox {
  using T = typename S::Value;
  VolumeCells<S> sum[2 * S::radius];

  /// Takes plane `plane`, and gives the plane `radius` above it.
  template <bool edges, bool rims, class Kept>
  __device__ __forceinline__ void add(const VolumeNear<S>& near, VolumeFields<S>& made, const T* coefficients,
                                      const Kept& kept, i32 plane) {
    go_on<edges, rims>(near, sum[0], made.of[0], S::radius, coefficients, kept, plane);
#pragma unroll
    for (i32 i = 0; i + 1 < 2 * S::radius; ++i) {
      go_on<edges, rims>(near, sum[i + 1], sum[i], S::radius - 1 - i, coefficients, kept, plane);
    }
    go_on<false, false>(near, sum[2 * S::radius - 1], sum[2 * S::radius - 1], -S::radius, coefficients, kept, plane);
  }

 private:
  /// The sums of the plane `down` above the new one, with its terms.
  template <bool edges, bool rims, class Kept>
  static __device__ __forceinline__ void go_on(const VolumeNear<S>& near, const VolumeCells<S>& before,
                                               VolumeCells<S>& after, i32 down, const T* coefficients,
                                               const Kept& kept, i32 plane) {
    const bool plane_kept = rims && kept.keeps_plane(plane - down);
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        T value = before[i][c];
#pragma unroll
        for (i32 d1 = -S::radius; d1 <= S::radius; ++d1) {
#pragma unroll
          for (i32 d2 = -S::radius; d2 <= S::radius; ++d2) {
            const T coefficient = coefficients[box_term<S>(down, d1, d2)];
            const T x = near.at[i + S::radius + d1][c + S::radius + d2];
            const bool is_first = down == -S::radius && d1 == -S::radius && d2 == -S::radius;
            value = is_first ? times(coefficient, x) : fused(coefficient, x, value);
          }
        }
        if (down >= 0 && (edges || rims)) {
          const bool keeps = plane_kept || (edges && kept.template keeps_cell<S>(i, c));
          if (keeps) value = down == 0 ? near.at[i + S::radius][c + S::radius] : before[i][c];
        }
        after[i][c] = value;
      }
    }
  }
};

}  // namespace terrace::stencil
