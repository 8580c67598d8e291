// The input of a band from above, a piece of 32 columns at a time, a column a lane: the cells that the band above has
// written to the tagged row, or the block's top border. Asked for early, waited for when needed.
// No host library header: also compiled at run time.
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
    row_ = border_row(a, band) + static_cast<i64>(band.start) * Tagged::words;
    tag_ = tag_of(band.ticket);
    tagged_ = top_is_tagged(band);
    under_ = under;
    cell_ = Tagged::written(tag_ - 1, {});
  }

  /// Asks for the value above a column of the band. Nothing here waits where it is in the tagged row.
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
      // Beyond the window a border of a block may hold anything.
      const bool inside =
          in_window(window_of<P, V>(k), band.task.row_begin + band.first_row - 1, band.task.column_begin + column);
      if (column >= under_ || !inside) top[0] = V(infinity);
    }
    cell_ = Tagged::written(tag_ - 1, top);
  }

  /// Bit l: what lane l asked for has not been written by the band above.
  __device__ __forceinline__ u32 missing() { return __ballot_sync(~0u, !Tagged::read(cell_, tag_ - 1, top_)); }
  /// Asks again for what is missing.
  __device__ __forceinline__ void ask_again(i32 column, u32 missing) {
    if (missing >> lane_index() & 1u) cell_ = Tagged::ask(row_, column);
  }
  /// The distance in bands to the last band that wrote missing cells (there are some), at least 1.
  __device__ __forceinline__ u32 bands_away(const SweepArguments& a, const KernelBand& band, u32 missing) const {
    // The row is every band's: its tag says how many bands there are from its writer to the one above this one.
    u32 distance = __shfl_sync(~0u, tag_ - 1 - cell_.tag(), 31 - __clz(static_cast<int>(missing)));
    if (distance > band.above) distance = band.above;  // one of another block or strip was there last
    return distance > 0 ? distance : 1;
  }
  /// The time in ns that a band at that distance may take to arrive.
  __device__ __forceinline__ static u32 nap(u32 bands) { return device::nap_for<policy>(bands); }
  /// Waits until the band above has written all that was asked for. False when the launch is over before that.
  __device__ __forceinline__ bool wait(const SweepArguments& a, const KernelBand& band, i32 column) {
    u32 lanes = 0;
    return device::wait_by_distance<policy>(
        [&] {
          lanes = missing();
          return lanes == 0 ? 0 : bands_away(a, band, lanes);
        },
        [&] { ask_again(column, lanes); }, [&] { return device::must_leave(a.launch, band.block); });
  }
  /// True if the launch is over, which is looked at now and then.
  __device__ __forceinline__ static bool is_over(const SweepArguments& a, const KernelBand& band, u32 tries) {
    const bool leave =
        tries % policy.look_every == 0 && lane_index() == 0 && device::must_leave(a.launch, band.block);
    return __any_sync(~0u, leave);
  }

  /// The value that was waited for: H, or F.
  __device__ __forceinline__ V top(int plane) const { return top_[plane]; }

  /// Hands a column's H and F to the band below, where there is such a column. Without a branch.
  __device__ __forceinline__ void hand_down(bool is_column, i32 column, const V (&values)[planes]) const {
    Tagged::store_if(is_column, row_, column, tag_, values);
  }

 private:
  static constexpr device::DistanceBackoff policy = device::backoffs::band_above;

  u64* row_ = nullptr;  // the tagged row, read above the band and written below it
  u32 tag_ = 0;         // the band's own
  bool tagged_ = false;
  i32 under_ = 0;
  typename Tagged::Words cell_;  // that was asked for; of columns behind the band's last an older one
  V top_[planes];
};

}  // namespace terrace::wavefront
