// The cells above a band, a piece of 32 columns at a time, one column per lane: cells that the band above has written
// to the tagged row, or the block's top border. They are requested early and waited for when needed.
#pragma once

#include "kernels/launch/tagged.cuh"
#include "kernels/wavefront/cuda/bands/borders.cuh"

namespace terrace::wavefront {

/// All members are called by all lanes. @tparam V the type of values
template <class P, class V>
class RowIntake {
 public:
  static constexpr int planes = P::row_planes;
  using Tagged = TaggedCell<V, planes>;
  using Constants = typename P::template Constants<V>;

  /// @param under columns of the band above which the row lies in the problem's window: the others' are infinite
  __device__ void begin(const SweepArguments& a, const KernelBand& band, i32 under) {
    row_ = border_row(a, band.block) + static_cast<i64>(band.start) * Tagged::words;
    tag_ = tag_of(band.ticket);
    tagged_ = top_is_tagged(a, band);
    under_ = under;
    cell_ = Tagged::written(tag_ - 1, {});
  }

  /// Requests the value above a column of the band. Does not wait if it is in the tagged row.
  __device__ __forceinline__ void ask(const SweepArguments& a, const KernelBand& band, const Constants& k,
                                      i32 column) {
    if (tagged_ && column < under_) {
      cell_ = Tagged::ask(row_, column);
      return;
    }
    V top[planes];
    for (V& value : top) value = V(0);
    if (!tagged_) BandBorders<P, V>(a, band).load_top(k, column, top);
    if constexpr (has_window<P>) {
      if (column >= under_) top[0] = V(infinity);
    }
    cell_ = Tagged::written(tag_ - 1, top);
  }

  /// Bit l: the band above has not written the cell that lane l requested.
  __device__ __forceinline__ u32 missing() { return __ballot_sync(~0u, !Tagged::read(cell_, tag_ - 1, top_)); }
  /// Requests the missing cells again.
  __device__ __forceinline__ void ask_again(i32 column, u32 missing) {
    if (missing >> lane_index() & 1u) cell_ = Tagged::ask(row_, column);
  }
  /// Distance in bands to the last writer of the missing cells, if any, at least 1.
  __device__ __forceinline__ u32 bands_away(const SweepArguments& a, const KernelBand& band, u32 missing) const {
    // All bands share the row: its tag gives the number of bands from its writer to the one above this band.
    u32 distance = __shfl_sync(~0u, tag_ - 1 - cell_.tag(), 31 - __clz(static_cast<int>(missing)));
    if (a.across > 1 && distance > band.index) distance = band.index;  // another block's was there last
    return distance > 0 ? distance : 1;
  }
  /// Expected time, in ns, until a band at that distance has written the cells.
  __device__ __forceinline__ static u32 nap(u32 bands) {
    return bands <= 1 ? 0 : bands < 64 ? (bands - 1) * 256 : 16384;
  }
  /// Waits until the band above has written all that was asked for. False when the launch is over before that.
  __device__ __forceinline__ bool wait(const SweepArguments& a, const KernelBand& band, i32 column) {
    for (u32 tries = 1;; ++tries) {
      const u32 lanes = missing();
      if (lanes == 0) return true;
      const u32 time = nap(bands_away(a, band, lanes));
      ask_again(column, lanes);
      if (time > 0) __nanosleep(time);
      if (is_over(a, band, tries)) return false;
    }
  }
  /// True if the launch is over; checked only now and then.
  __device__ __forceinline__ static bool is_over(const SweepArguments& a, const KernelBand& band, u32 tries) {
    const bool leave = tries % 32 == 0 && lane_index() == 0 && device::must_leave(a.launch, band.block);
    return __any_sync(~0u, leave);
  }

  /// The cell that was waited for: H, or F.
  __device__ __forceinline__ V top(int plane) const { return top_[plane]; }

  /// Hands a column's H and F to the band below, if there is such a column. Without a branch.
  __device__ __forceinline__ void hand_down(bool is_column, i32 column, const V (&values)[planes]) const {
    Tagged::store_if(is_column, row_, column, tag_, values);
  }

 private:
  u64* row_ = nullptr;  // the tagged row, read above the band and written below it
  u32 tag_ = 0;         // the band's own
  bool tagged_ = false;
  i32 under_ = 0;
  typename Tagged::Words cell_;  // the requested one; after the band's last column an older one
  V top_[planes];
};

}  // namespace terrace::wavefront
