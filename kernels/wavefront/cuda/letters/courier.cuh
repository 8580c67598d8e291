// What a warp that sweeps letters or values takes from above is brought by another one, its courier: pieces of 32
// columns, their items and the border above them, put into a ring in shared memory. The courier waits for the band
// above, so that the sweeping warp does nothing but sweep. No host library header: also compiled at run time.
#pragma once

#include "kernels/wavefront/cuda/bands/row_intake.cuh"
#include "kernels/wavefront/cuda/bands/table_piece.cuh"
#include "kernels/wavefront/cuda/letters/profile.cuh"

namespace terrace::wavefront {

using device::Phases;

/// An item as it lies in memory.
template <bool letters, class V>
struct RawItemOf {
  using Type = V;
};
template <class V>
struct RawItemOf<true, V> {
  using Type = device::u8;
};

/// Items as they lie in memory, as values, and letters as what picks their scores.
template <class P, class V>
struct ItemsOf {
  using Raw = typename RawItemOf<P::items == Items::letters, V>::Type;
  __device__ __forceinline__ static Raw raw(const void* items, i64 index) {
    return device::load_past_l1(static_cast<const Raw*>(items) + index);
  }
  __device__ __forceinline__ static V value(Raw item) {
    if constexpr (P::items == Items::letters) return V(static_cast<i64>(item));
    else return item;
  }
  __device__ __forceinline__ static V at(const void* items, i64 index) { return value(raw(items, index)); }

  /// The byte that picks the score of a letter; of one that is not below 4 its complement, which is negative.
  __device__ __forceinline__ static V code(V letter) {
    const i64 letter_code = static_cast<i64>(letter);
    return V(letter_code < 4 ? i64{1} << (8 * letter_code) : ~letter_code);
  }
  __device__ __forceinline__ static bool is_odd(V code) { return V(0) > code; }
};

/// What a sweeping warp keeps in shared memory, and what its courier brings there.
///
/// Pieces count from the launch's first on, over all of the warp's bands: piece n is at n % held. Before a band's own
/// there are C for lanes that have not begun, and behind them C for lanes that have not ended, which are the next
/// band's first ones: with the item 0 and the border 0. The ring's first piece of items stands a second time behind
/// its end, so that no lane's 32 columns wrap.
template <class V, int planes, int R, int C, bool keep_table, bool profiled>
struct WarpMemory {
  static_assert(C == 1 || C == 2 || C == 4);
  static constexpr int held = 8, ring = held * piece;  // pieces, columns
  static constexpr int beside = C;                     // pieces between the columns of two bands
  static constexpr int state_words = 2 * R + 1 + 2 * C;

  KernelBand band;
  u32 pieces;  // before the band's own
  // What the courier is told of a band:
  i32 under;             // columns above which the border lies in the problem's window
  bool coded;            // letters are to be turned into what picks their scores
  bool no_more;          // there is no band, and none will come
  Phases announced;      // one a band
  Phases left;           // its first one ends where the launch is over
  Phases brought[held];  // of each place in the ring: a piece is there
  Phases passed[held];   // and all lanes have passed it
  u64 known[held];       // the largest cell of the launch that was known of when the piece was brought
  u32 odd[held];         // whether the piece has letters that are not below 4

  LaneProfiles<profiled ? R : 0> profiles;
  alignas(16) V items[ring + piece + C];  // of columns
  // The border above the first lane's columns, and behind the ring's end that of the piece that may hold the cell to
  // report:
  alignas(16) V top[planes][ring + piece + C];
  alignas(16) V bottom[planes][ring + C];   // below the band, column x at kept_at(x)
  alignas(16) V state[2][state_words][32];  // of every lane at the beginning of this piece and of that one, in turn
  alignas(16) V cells[keep_table ? 32 * R : 1][2 * piece];  // [row of the band]

  /// Where a column's values below the band are: in a row for those that the last lane passes in a piece.
  __device__ static int kept_at(i32 column) { return ((column - C) & (ring - 1)) + C; }
  __device__ static u32 place_of(u32 piece_number) { return piece_number % held; }
  /// The parity of the phase that the piece is of its place.
  __device__ static u32 parity_of(u32 piece_number) { return piece_number / held & 1; }

  /// Before the first band; what lanes meet before their first column is some item, too.
  __device__ void begin() {
    for (int at = lane_index(); at < ring + piece + C; at += 32) {
      items[at] = V(0);
      for (int plane = 0; plane < planes; ++plane) top[plane][at] = V(0);
    }
    if (lane_index() == 0) {
      pieces = C;
      no_more = false;
      device::begin_phases(announced);
      device::begin_phases(left);
      for (int place = 0; place < held; ++place) {
        device::begin_phases(brought[place]);
        device::begin_phases(passed[place]);
      }
    }
    __syncwarp();
    for (int place = 0; place < beside; ++place) device::end_phase(brought[place]);
  }
  /// After the last band.
  __device__ void end() {
    if (lane_index() == 0) no_more = true;
    device::end_phase(announced);
  }
  /// Puts an item where lanes find it. @param column from the launch's first piece on
  __device__ __forceinline__ void keep_item(u32 column, V item) {
    const u32 at = column % ring;
    items[at] = item;
    if (at < piece) items[ring + at] = item;
  }
};

/// A courier of one sweeping warp, in a warp that may be several warps' courier. All members are called by all lanes.
/// @tparam looks at what the band above writes, before anything else is looked at
template <class P, class V, class Memory, int looks>
class Courier {
 public:
  using Constants = typename P::template Constants<V>;

  /// Does what can be done without waiting. How many ns there is nothing to do now, as far as is known.
  __device__ __forceinline__ u32 go_on(const SweepArguments& a, const Constants& k, Memory& memory) {
    if (gone_) return 16384;
    if (pieces_left_ == 0) {
      if (!__all_sync(~0u, device::has_ended(memory.announced, bands_ & 1))) return 128;
      return begin_band(a, k, memory);
    }
    const u32 place = Memory::place_of(piece_);
    if (!__all_sync(~0u, device::has_ended(memory.passed[place], Memory::parity_of(piece_) ^ 1))) return 64;
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
  /// Whether there is nothing more to do.
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
  u32 pieces_left_ = 0;        // of the band
  u32 tries_ = 0;
  i32 column_ = 0;  // of the band, that was asked for
  typename Item::Raw item_{};
  u64 known_ = 0;
  bool gone_ = false;
};

/// What a warp does that brings `bands` warps what they take, until they have no more bands.
template <class P, class V, int bands, class Memory>
__device__ void carry(const SweepArguments& a, const typename P::template Constants<i64>& constants,
                      Memory* memories) {
  const auto k = P::template constants_as<V>(constants);
  // As many as were fastest on an H200.
  Courier<P, V, Memory, bands == 1 ? 8 : 3> couriers[bands];
  for (;;) {
    u32 nap = 16384;
    bool gone = true;
#pragma unroll
    for (int i = 0; i < bands; ++i) {
      const u32 idle = couriers[i].go_on(a, k, memories[i]);
      nap = idle < nap ? idle : nap;
      gone = gone && couriers[i].gone();
    }
    if (gone) return;
    if (nap > 0) __nanosleep(nap);
  }
}

}  // namespace terrace::wavefront
