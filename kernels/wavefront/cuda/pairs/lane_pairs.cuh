// The cells that a lane holds between two columns: two to a word, the upper half of its rows in low halves of words
// and the lower half in high halves; the next lane takes the cells of its last row.
#pragma once

#include "kernels/wavefront/cuda/pairs/context.cuh"
#include "kernels/wavefront/cuda/pairs/values.cuh"

namespace terrace::wavefront {

/// @tparam Warp a PairContext
template <class Warp>
struct LanePairs {
  static constexpr int R = Warp::R, planes = Warp::planes;

  u32 h[R], e[R]{};              // H of the last column, E of the next
  u32 diagonal = 0;              // H of the last column above the lane's first row
  u32 bottom_f = 0, handed = 0;  // F below the last row; input of the next lane

  /// H and F above the halves' columns. @param above the values above the first lane's
  __device__ __forceinline__ void take_from_above(const Warp& warp, u32 above, u32& up, u32& f) const {
    u32 taken = __shfl_up_sync(~0u, handed, 1);
    if (warp.lane == 0) taken = above;
    if constexpr (planes == 2) {
      up = lows(taken, h[R - 1]);
      f = high_and_low(taken, bottom_f);
    } else {
      up = high_and_low(taken, h[R - 1]);
    }
  }
  /// The next lane's input from this lane's lower half, in its high half: H alone, or H and F.
  __device__ __forceinline__ void hand_on(u32 f) {
    bottom_f = f;
    handed = planes == 2 ? highs(h[R - 1], f) : h[R - 1];
  }

  /// Word r of a column. @param scores with the cost of a gap's first letter added
  __device__ __forceinline__ void cell(const PairValues& values, int r, u32 scores, u32 above_left, u32& up, u32& f) {
    if constexpr (planes == 2) {
      h[r] = subtract_both(largest(add_larger(above_left, scores, e[r]), f, values.floor), values.less_first);
      e[r] = add_larger(e[r], values.less_next, h[r]);
      f = add_larger(f, values.less_next, h[r]);
    } else {
      h[r] = subtract_both(largest(add_larger(above_left, scores, values.floor), h[r], up), values.less_first);
    }
    up = h[r];
  }

  __device__ __forceinline__ void clear() {
    diagonal = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) h[r] = e[r] = 0;
    hand_on(0);
  }
  /// The largest halves of H.
  __device__ __forceinline__ u32 largest_h() const {
    u32 most = diagonal;
#pragma unroll
    for (int r = 0; r + 1 < R; r += 2) most = largest(most, h[r], h[r + 1]);
    return most;
  }
  /// Adds to all values, which do not fall below 0. @param change twice
  __device__ __forceinline__ void add(u32 change) {
    diagonal = add_larger(diagonal, change, 0);
    bottom_f = add_larger(bottom_f, change, 0);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      h[r] = add_larger(h[r], change, 0);
      if constexpr (planes == 2) e[r] = add_larger(e[r], change, 0);
    }
    hand_on(bottom_f);
  }

  /// The lane's cells at the beginning of a piece, to shared memory and back. @param copy of the two there
  __device__ __forceinline__ void save(const Warp& warp, int copy) {
    for_all(warp, copy, [](u32& kept, const u32& value) { kept = value; });
  }
  __device__ void restore(const Warp& warp, int copy) {
    for_all(warp, copy, [](const u32& kept, u32& value) { value = kept; });
  }

 private:
  template <class Move>
  __device__ __forceinline__ void for_all(const Warp& warp, int copy, Move&& move) {
    u32(&kept)[Warp::Memory::state_words][32] = warp.memory.state[copy];
    int word = 0;
    move(kept[word++][warp.lane], diagonal);
#pragma unroll
    for (int r = 0; r < R; ++r) move(kept[word++][warp.lane], h[r]);
    if constexpr (planes == 2) {
      move(kept[word++][warp.lane], bottom_f);
#pragma unroll
      for (int r = 0; r < R; ++r) move(kept[word++][warp.lane], e[r]);
    }
  }
};

}  // namespace terrace::wavefront
