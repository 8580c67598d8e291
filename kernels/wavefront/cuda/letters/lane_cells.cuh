// The cells that a lane holds between two steps: cells of the last column in its rows, and cells of the last step
// below them; the next lane takes the latter.
#pragma once

#include "kernels/values/word.cuh"
#include "kernels/wavefront/cuda/letters/lane_rows.cuh"

namespace terrace::wavefront {

/// C values of neighbouring columns, loaded at a time.
template <class V, int C>
struct alignas(sizeof(V) * C) Columns {
  V at[C];
};

/// @tparam Warp a WarpContext
template <class Warp>
struct LaneCells {
  using P = typename Warp::P;
  using V = typename Warp::V;
  static constexpr int R = Warp::R, C = Warp::C, planes = Warp::planes;

  V h[R], e[R];                  // H of the last column, E of the next
  V diagonal{};                  // H of the last column above the lane's first row
  V bottom[C]{}, bottom_f[C]{};  // H and F below its last row in the columns of the last step

  /// H and E of the column before the block, and H before the row above this lane's first.
  __device__ void load_left(const Warp& warp, const LaneRows<Warp>& rows) {
    const i64 first = warp.band.first_row + warp.lane * R;
    diagonal = rows.count() > 0 ? left_h(warp, first - 1) : V(0);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      h[r] = r < rows.count() ? left_h(warp, first + r) : V(0);
      if constexpr (P::column_planes == 2) {
        if (r >= rows.count()) e[r] = V(0);
        else e[r] = warp.borders.left_gap(warp.k, first + r);
      } else {
        e[r] = V(0);
      }
    }
  }
  __device__ static V left_h(const Warp& warp, i64 row) { return warp.borders.left_h(warp.k, row, Warp::Item::at); }

  /// Stores the column just swept in border `border` of the borders that the block writes.
  __device__ __forceinline__ void store_right(const Warp& warp, const LaneRows<Warp>& rows, i64 border) const {
    if (!warp.band.task.right) return;
    if (warp.lane == 0) warp.borders.store_corner(border, diagonal);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows.count()) break;
      warp.borders.store_right_h(border, warp.lane * R + r, h[r]);
      if constexpr (P::column_planes == 2) warp.borders.store_right_gap(border, warp.lane * R + r, e[r]);
    }
  }

  /// True if every H that the lanes hold before their first column is `idle`: then they hand on this value until they
  /// begin. All lanes call it.
  __device__ __forceinline__ bool begin_idle(const Warp& warp, V idle) {
    bool same = warp.lane == 0 || diagonal == idle;
#pragma unroll
    for (int r = 0; r < R; ++r) same = same && h[r] == idle;
    if (!__all_sync(~0u, same)) return false;
#pragma unroll
    for (int c = 0; c < C; ++c) bottom[c] = idle;
    return true;
  }
  __device__ __forceinline__ void clear() {
    diagonal = V(0);
#pragma unroll
    for (int r = 0; r < R; ++r) h[r] = e[r] = V(0);
#pragma unroll
    for (int c = 0; c < C; ++c) bottom[c] = bottom_f[c] = V(0);
  }
  /// The largest H that the lane holds, and `most`.
  __device__ __forceinline__ V largest(V most) const {
    most = maximum(most, diagonal);
#pragma unroll
    for (int c = 0; c < C; ++c) most = maximum(most, bottom[c]);
#pragma unroll
    for (int r = 0; r + 1 < R; r += 2) most = maximum(most, h[r], h[r + 1]);
    if constexpr (R % 2 == 1) most = maximum(most, h[R - 1]);
    return most;
  }

  /// H and F above the lane's C columns. @param top the values above the first lane's columns
  __device__ __forceinline__ void take_from_above(const Warp& warp, const Columns<V, C> (&top)[planes], V (&up)[C],
                                                  V (&f)[C]) const {
#pragma unroll
    for (int c = 0; c < C; ++c) {
      up[c] = shuffle_up(bottom[c]);
      f[c] = planes == 2 ? shuffle_up(bottom_f[c]) : V(0);
    }
#pragma unroll
    for (int c = 0; c < C; ++c) {
      if (warp.lane == 0) up[c] = top[0].at[c];
      if (planes == 2 && warp.lane == 0) f[c] = top[planes - 1].at[c];
    }
  }

  /// The lane's cells at the beginning of a piece, to shared memory and back. @param copy of the two there
  __device__ __forceinline__ void save(const Warp& warp, int copy) {
    for_all(warp, copy, [](V& kept, const V& value) { kept = value; });
  }
  __device__ void restore(const Warp& warp, int copy) {
    for_all(warp, copy, [](const V& kept, V& value) { value = kept; });
  }

 private:
  template <class Move>
  __device__ __forceinline__ void for_all(const Warp& warp, int copy, Move&& move) {
    int word = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) move(warp.memory.state[copy][word++][warp.lane], h[r]);
    if constexpr (P::column_planes == 2) {
#pragma unroll
      for (int r = 0; r < R; ++r) move(warp.memory.state[copy][word++][warp.lane], e[r]);
    }
    move(warp.memory.state[copy][word++][warp.lane], diagonal);
#pragma unroll
    for (int c = 0; c < C; ++c) {
      move(warp.memory.state[copy][word++][warp.lane], bottom[c]);
      if constexpr (planes == 2) move(warp.memory.state[copy][word++][warp.lane], bottom_f[c]);
    }
  }
};

}  // namespace terrace::wavefront
