// The courier of a warp that sweeps letters or values: another warp that brings its inputs from above, pieces of 32
// columns with their items and the border above them, into a ring in shared memory. The courier waits for the band
// above, so that the sweeping warp only sweeps.
#pragma once

#include "kernels/wavefront/cuda/bands/row_intake.cuh"
#include "kernels/wavefront/cuda/letters/items.cuh"
#include "kernels/wavefront/cuda/letters/memory.cuh"

namespace terrace::wavefront {

/// A courier of one sweeping warp, in a warp that may be several warps' courier. All members are called by all lanes.
/// @tparam looks number of reads of the band above's cells before other work
template <class P, class V, class Memory, int looks>
class Courier {
 public:
  using Constants = typename P::template Constants<V>;

  /// Does all work that needs no waiting. @return expected time in ns without work
  __device__ __forceinline__ u32 go_on(const SweepArguments& a, const Constants& k, Memory& memory) {
    if (gone_) return device::backoffs::courier_without_warp;
    if (pieces_left_ == 0) {
      if (!__all_sync(~0u, device::has_ended(memory.announced, bands_ & 1))) {
        return device::backoffs::courier_without_band;
      }
      return begin_band(a, k, memory);
    }
    const u32 place = Memory::place_of(piece_);
    if (!__all_sync(~0u, device::has_ended(memory.passed[place], Memory::parity_of(piece_) ^ 1))) {
      return device::backoffs::courier_without_place;
    }
    u32 missing = intake_.missing();
    for (int look = 1; look < looks && missing != 0; ++look) {
      intake_.ask_again(column_, missing);
      missing = intake_.missing();
    }
    if (missing != 0) {
      const u32 distance = intake_.bands_away(a, memory.band, missing);
      intake_.ask_again(column_, missing);
      if (intake_.is_over(a, memory.band, ++tries_)) leave(memory);
      return intake_.nap(distance);
    }
    bring(memory, place);
    if (--pieces_left_ > 0) ask(a, k, memory);
    return 0;
  }
  /// True if there is nothing more to do.
  __device__ __forceinline__ bool gone() const { return gone_; }

 private:
  using Item = ItemsOf<P, V>;

  __device__ __forceinline__ u32 begin_band(const SweepArguments& a, const Constants& k, Memory& memory) {
    ++bands_;
    gone_ = memory.no_more;
    if (gone_) return 0;
    intake_.begin(a, memory.band, memory.under);
    pieces_left_ = static_cast<u32>((memory.band.width + piece - 1) / piece) + Memory::beside;
    column_ = lane_index() - piece;
    tries_ = 0;
    ask(a, k, memory);
    return 0;
  }
  /// Asks for the next piece, a column a lane. Nothing here waits.
  __device__ __forceinline__ void ask(const SweepArguments& a, const Constants& k, const Memory& memory) {
    column_ += piece;
    if constexpr (P::report == Report::best) known_ = load_relaxed(&a.slots->known);
    if (column_ >= memory.band.width) return;
    item_ = Item::raw(memory.band.task.columns, column_);
    intake_.ask(a, memory.band, k, column_);
  }
  __device__ __forceinline__ void bring(Memory& memory, u32 place) {
    const int lane = lane_index();
    const bool is_column = column_ < memory.band.width;  // else nothing was asked for
#pragma unroll
    for (int plane = 0; plane < P::row_planes; ++plane) {
      memory.top[plane][place * piece + static_cast<u32>(lane)] = is_column ? intake_.top(plane) : V(0);
    }
    V item = is_column ? Item::value(item_) : V(0);
    if constexpr (P::items == Items::letters) {
      if (memory.coded) {
        if (is_column) item = Item::code(item);
        const bool odd = __any_sync(~0u, is_column && Item::is_odd(item));
        if (lane == 0) memory.odd[place] = odd ? 1 : 0;
      }
    }
    memory.keep_item(piece_ * piece + static_cast<u32>(lane), item);
    if (lane == 0) memory.known[place] = known_;
    device::end_phase(memory.brought[place]);
    ++piece_;
  }
  __device__ void leave(Memory& memory) {
    gone_ = true;
    device::end_phase(memory.left);
  }

  RowIntake<P, V> intake_;
  u32 bands_ = 0;               // that were announced, since the launch began
  u32 piece_ = Memory::beside;  // to be brought next
  u32 pieces_left_ = 0;         // of the band
  u32 tries_ = 0;
  i32 column_ = 0;  // of the band, that was asked for
  typename Item::Raw item_{};
  u64 known_ = 0;
  bool gone_ = false;
};

/// The work of a courier warp: brings inputs to `bands` sweeping warps, until they have no more bands.
template <class P, class V, int bands, class Memory>
__device__ void carry(const SweepArguments& a, const typename P::template Constants<i64>& constants,
                      Memory* memories) {
  const auto k = P::template constants_as<V>(constants);
  // As many as were fastest on an H200.
  Courier<P, V, Memory, bands == 1 ? 8 : 3> couriers[bands];
  for (;;) {
    u32 idle = device::backoffs::courier_without_warp;
    bool gone = true;
#pragma unroll
    for (int i = 0; i < bands; ++i) {
      idle = minimum(idle, couriers[i].go_on(a, k, memories[i]));
      gone = gone && couriers[i].gone();
    }
    if (gone) return;
    device::nap(idle);
  }
}

}  // namespace terrace::wavefront
