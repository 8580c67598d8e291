// The border below a band, a piece of 32 columns at a time: the last lane keeps H and F below its lowest row in
// shared memory, and the warp writes them to the tagged row, for the band below, and to the block's border.
#pragma once

#include "kernels/launch/tagged.cuh"
#include "kernels/wavefront/cuda/letters/lane_cells.cuh"

namespace terrace::wavefront {

/// All members are called by all lanes. @tparam Warp a WarpContext
template <class Warp>
class RowOutput {
  using V = typename Warp::V;
  using Memory = typename Warp::Memory;
  static constexpr int C = Warp::C, planes = Warp::planes;
  using Tagged = TaggedCell<V, planes>;

 public:
  __device__ RowOutput(const SweepArguments& arguments, const KernelBand& band)
      : row_(border_row(arguments, band) + static_cast<i64>(band.start) * Tagged::words), tag_(tag_of(band.ticket)) {}

  /// Before the first piece.
  __device__ __forceinline__ void begin(const Warp& warp) { below_ = row_ + (passed(0) + warp.lane) * Tagged::words; }

  /// The first column that the last lane passes in piece p.
  __device__ __forceinline__ static i32 passed(i32 p) { return (p - C) * piece + C; }

  /// Keeps the last lane's lowest row, for hand_down(). @param at index of the columns' values below the band
  template <int count>
  __device__ __forceinline__ void keep(const Warp& warp, int at, const V* h, const V* f) const {
    if (warp.lane != 31) return;
    Columns<V, count> kept[2];
#pragma unroll
    for (int c = 0; c < count; ++c) {
      kept[0].at[c] = h[c];
      kept[1].at[c] = f[c];
    }
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      *reinterpret_cast<Columns<V, count>*>(&warp.memory.bottom[plane][at]) = kept[plane];
    }
  }
  /// Keeps zeros for all that the last lane would pass in piece p.
  __device__ __forceinline__ void keep_zeros(const Warp& warp, i32 p) const {
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      warp.memory.bottom[plane][Memory::kept_at(passed(p)) + warp.lane] = V(0);
    }
  }

  /// Hands the values that the last lane kept in piece p to the band below.
  __device__ __forceinline__ void hand_down(const Warp& warp, i32 p) {
    V values[planes];
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      values[plane] = warp.memory.bottom[plane][Memory::kept_at(passed(p)) + warp.lane];
    }
    Tagged::store_if(warp.is_column(passed(p) + warp.lane), below_, 0, tag_, values);
    below_ += piece * Tagged::words;
  }
  /// Writes the kept values of a column to the block's border.
  __device__ __forceinline__ void store_bottom(const Warp& warp, i32 column) const {
    const int at = Memory::kept_at(column);
    V values[planes];
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) values[plane] = warp.memory.bottom[plane][at];
    warp.borders.store_bottom(column, values);
  }

 private:
  u64* const row_;        // the tagged row below the band
  const u32 tag_;         // of the values that the band writes there
  u64* below_ = nullptr;  // the lane's column of the columns that the last lane passes in the piece
};

}  // namespace terrace::wavefront
