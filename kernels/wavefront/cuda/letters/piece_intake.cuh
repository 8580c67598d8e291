// Pieces that a warp takes from its courier: 32 columns, their items and the border above them, in a ring in shared
// memory.
#pragma once

#include "kernels/wavefront/cuda/bands/window.cuh"
#include "kernels/wavefront/cuda/letters/context.cuh"

namespace terrace::wavefront {

/// All members are called by all lanes. @tparam Warp a WarpContext
template <class Warp>
class PieceIntake {
  using P = typename Warp::P;
  using V = typename Warp::V;
  using Memory = typename Warp::Memory;
  using Item = typename Warp::Item;
  static constexpr int C = Warp::C, planes = Warp::planes, ring = Memory::ring;

 public:
  /// Clears the values that lanes read before the band's columns; a replay may have left others there.
  __device__ __forceinline__ void clear_before(const Warp& warp) const {
#pragma unroll
    for (i32 q = -C; q < 0; ++q)
      warp.memory.keep_item(number_of(warp, q) * piece + static_cast<u32>(warp.lane), V(0));
    __syncwarp();
  }
  /// Has the courier bring the band's pieces. @param coded with codes in place of letters
  __device__ void announce(const Warp& warp, bool coded) const {
    if (warp.lane == 0) {
      warp.memory.under = Warp::windowed
                              ? columns_under_window(diagonal_of(warp.band), window_of<P, V>(warp.k), warp.width)
                              : warp.width;
      warp.memory.coded = coded;
    }
    __syncwarp();
    if (warp.width > 0) device::end_phase(warp.memory.announced);
  }
  /// Waits until piece p is in its place for the lanes. False when the launch is over before that.
  /// @param known the largest cell of the launch that was known of when the piece was brought
  template <bool coded>
  __device__ __forceinline__ bool take(const Warp& warp, i32 p, V& known) {
    const u32 number = number_of(warp, p), place = Memory::place_of(number);
    while (!__all_sync(~0u, device::wait_for_end(warp.memory.brought[place], Memory::parity_of(number)))) {
      if (__any_sync(~0u, device::has_ended(warp.memory.left, 0))) return false;
    }
    top_at_ = place * piece;
    if constexpr (P::report == Report::best) known = V(static_cast<i64>(warp.memory.known[place]));
    if constexpr (coded) odd_letters_ = (odd_letters_ << 1 | warp.memory.odd[place]) & ((2u << C) - 1);
    return true;
  }
  /// Lets the courier replace the pieces that all lanes have passed at the end of piece p.
  __device__ __forceinline__ void release(const Warp& warp, i32 p) const {
    device::end_phase(warp.memory.passed[Memory::place_of(number_of(warp, p - C))]);
  }
  /// After the band's last piece. @param pieces of the band
  __device__ __forceinline__ void end(const Warp& warp, i32 pieces) const {
    warp.memory.pieces = warp.first_piece + static_cast<u32>(pieces);
  }

  /// True if a lane's column in the piece may have a letter that is not below 4.
  __device__ __forceinline__ bool has_odd_letters() const { return odd_letters_ != 0; }
  /// The items of the lane's columns while the first lane goes over piece p.
  __device__ __forceinline__ const V* items(const Warp& warp, i32 p) const {
    return warp.memory.items + (number_of(warp, p) * piece - static_cast<u32>(warp.lane * C)) % ring;
  }
  /// Index in the memory's `top` at which the border above the piece begins.
  __device__ __forceinline__ u32 top_at() const { return top_at_; }

  /// Keeps the border above the piece, for a replay of it: after the ring.
  __device__ __forceinline__ void keep_top(const Warp& warp) const {
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      warp.memory.top[plane][ring + warp.lane] = warp.memory.top[plane][top_at_ + static_cast<u32>(warp.lane)];
    }
    __syncwarp();
  }
  /// Puts the items of all columns that lanes pass in piece p into their places, once the courier is idle, and uses
  /// the border kept by keep_top().
  template <bool coded>
  __device__ __forceinline__ void take_again(const Warp& warp, i32 p) {
    top_at_ = ring;
    load_items<coded>(warp, p);
  }

 private:
  template <bool coded>
  __device__ void load_items(const Warp& warp, i32 p) const {
    __syncwarp();
    for (i32 q = p - C; q <= p; ++q) {
      const i32 column = q * piece + warp.lane;
      if (column < 0 || column >= warp.width) continue;
      V item = Item::at(warp.band.task.columns, column);
      if constexpr (coded) item = Item::code(item);
      warp.memory.keep_item(number_of(warp, q) * piece + static_cast<u32>(warp.lane), item);
    }
    __syncwarp();
  }
  /// Number of a piece of the band, counted from the launch's begin.
  __device__ __forceinline__ static u32 number_of(const Warp& warp, i32 p) {
    return warp.first_piece + static_cast<u32>(p);
  }

  u32 top_at_ = 0;       // index of the piece's border above
  u32 odd_letters_ = 0;  // bit i: the i-th last piece has a column whose letter is not below 4
};

}  // namespace terrace::wavefront
