// The best cell of a band: the piece that has it is the candidate, and a copy of its state is kept. The column is
// found at the band's end, by a replay of the piece.
#pragma once

#include "kernels/wavefront/cuda/pairs/lane_pairs.cuh"

namespace terrace::wavefront {

/// All members are called by all lanes. @tparam Warp a PairContext
template <class Warp>
class PairCandidate {
  static constexpr int R = Warp::R;

 public:
  /// The piece just swept has the cell to report if its largest cell is larger than the best so far, or equal and in
  /// an earlier row; in the same row it is in a later column.
  /// @param most of the piece's rows @param known the largest cell of the launch known so far
  __device__ __forceinline__ void look(const Warp& warp, const PairValues& values, i32 p, const i32& base,
                                       u32 (&most)[R], i32& known) {
    u32 all = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (warp.rows < Warp::band_rows) most[r] &= mask_of(warp.row_of(r) < warp.rows, warp.row_of(R + r) < warp.rows);
      all = larger(all, most[r]);
    }
    const i32 here = maximum(low_half(all), high_half(all)), largest = __reduce_max_sync(~0u, here);
    // Above another base than the lowest, a cell that is as low as can be kept is not the best.
    if (largest == 0 || values.true_h(largest, base) < reported_) return;
    i32 row = Warp::band_rows;
#pragma unroll
    for (int r = 2 * R - 1; r >= 0; --r) {
      if ((r < R ? low_half(most[r]) : high_half(most[r - R])) == largest) row = warp.row_of(r);
    }
    row = -__reduce_max_sync(~0u, -row);
    if (values.true_h(largest, base) == reported_ && row >= reported_row_) return;
    reported_ = values.true_h(largest, base);
    reported_row_ = row;
    candidate_ = p;
    copy_ ^= 1;
    if (warp.lane == 0 && reported_ > known) {
      atomicMax(&warp.arguments.slots->known, static_cast<u64>(reported_));
    }
    known = maximum(known, reported_);
  }

  /// Which of the copies of the state and the border above is this piece's; the other one is the candidate's.
  __device__ __forceinline__ int copy() const { return copy_; }

  /// The band's best cell, for which replay(piece) sweeps a piece again, unless the launch has a larger one.
  template <class Replay>
  __device__ Candidate report(const Warp& warp, const Replay& replay) {
    const u64 known = __shfl_sync(~0u, load_relaxed(&warp.arguments.slots->known), 0);
    if (candidate_ < 0 || static_cast<u64>(reported_) < known) return {0, 0, 0, false};
    copy_ ^= 1;
    replay(candidate_);
    return {reported_, warp.band.first_row + reported_row_, __reduce_max_sync(~0u, found_), true};
  }
  /// True if the row to report has that cell in the column just swept, in a replay. @param column of the upper half
  __device__ __forceinline__ void look_for_report(const Warp& warp, const PairValues& values,
                                                  const LanePairs<Warp>& cells, i32 column, const i32& base) {
    const i32 r = reported_row_ - warp.row_of(0), wanted = reported_ - base - values.first;
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) {
      const i32 here = i < R ? column : column - 1;
      if (i != r || found_ >= 0 || !warp.is_column(here)) continue;
      if ((i < R ? low_half(cells.h[i]) : high_half(cells.h[i - R])) == wanted) found_ = here;
    }
  }

 private:
  i32 reported_ = 0, reported_row_ = 0;  // largest cell of the band so far, and the first row that has one
  i32 candidate_ = -1, found_ = -1;      // the piece that has it; its column
  int copy_ = 0;
};

}  // namespace terrace::wavefront
