// One band of a piece whose codes are computed: 128 rows, of which lane l of a warp holds four and is one column
// behind lane l - 1. Bands hand rows on as those of sweeps do (tagged.cuh). No host library header: also compiled at
// run time.
#pragma once

#include "kernels/launch/tagged.cuh"
#include "kernels/values/real.cuh"
#include "kernels/wavefront/cuda/bands/table_piece.cuh"
#include "kernels/wavefront/cuda/letters/profile.cuh"
#include "kernels/wavefront/cuda/trace/borders.cuh"
#include "kernels/wavefront/cuda/trace/codes.cuh"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

/// Shared memory of a warp while it computes a band. Columns are at column % (2 * piece).
template <class V, int planes, bool profiled>
struct TraceBandMemory {
  LaneProfiles<profiled ? trace_lane_rows : 0> profiles;
  V items[2 * piece];
  V top[planes][piece];  // the border above the first lane's columns
};

/// One band of a piece on its way through a warp. All members are called by all lanes.
template <class P, class V, class Task>
class TraceBand {
 public:
  using Constants = typename P::template Constants<V>;
  static constexpr int planes = P::row_planes;
  static constexpr int R = trace_lane_rows;
  using Memory = TraceBandMemory<V, planes, by_matrix<P>>;
  using Tagged = TaggedCell<V, planes>;

  /// @param buffer of the piece's codes
  __device__ TraceBand(const TraceArguments<Task>& arguments, const Constants& k, const Task& task,
                       const TraceExtent& extent, u32 buffer, u32 band, u64 ticket, Memory& memory)
      : a_(arguments),
        k_(k),
        task_(task),
        extent_(extent),
        borders_(arguments.border, k, task, extent.piece),
        memory_(memory),
        lane_(lane_index()),
        width_(extent.columns),
        first_row_(static_cast<i32>(band) * trace_band_rows + lane_ * R),
        band_(band),
        tag_(tag_of(ticket)),
        row_(arguments.rows + buffer * arguments.row_words),
        codes_(codes_of(arguments, buffer, band) + lane_) {}

  /// Computes the band's codes; false when the launch is over before that.
  __device__ bool run() {
    load_rows();
    if constexpr (by_matrix<P>) make_profile<V, R>(a_.matrix, items_, memory_.profiles, lane_);
    prefetch(0);
    const i32 pieces = (width_ + 31 + piece - 1) / piece;
    for (i32 p = 0; p < pieces; ++p) {
      if (p * piece < width_ && !take_piece(p)) return false;
      __syncwarp();
      if (p > 0 && (p + 1) * piece <= width_) steps<true>(p);
      else steps<false>(p);
      device::random_delay(a_.launch, tag_ + static_cast<u32>(p));
      __syncwarp();
    }
    return true;
  }

 private:
  static constexpr bool windowed = has_window<P>;

  __device__ i64 table_row(i32 row) const { return extent_.piece.row + row; }
  __device__ i64 table_column(i32 column) const { return extent_.piece.column + column; }
  __device__ bool inside(i64 row, i64 column) const { return in_window(window_of<P, V>(k_), row, column); }

  /// Items, and H and E of the column before the piece. Rows below the piece are computed from nothing.
  __device__ void load_rows() {
    const i64 first = extent_.piece.row - task_.row_begin + first_row_;
    borders_.begin(static_cast<i64>(band_) * trace_band_rows, extent_.rows);
    diagonal_ = first_row_ < extent_.rows ? borders_.left_h(first_row_ - 1) : V(0);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const bool real = first_row_ + r < extent_.rows;
      items_[r] = real ? trace_item<P, V>(task_.rows, first + r) : V(0);
      h_[r] = real ? borders_.left_h(first_row_ + r) : V(0);
      e_[r] = V(0);
      if constexpr (P::column_planes == 2) {
        if (real) e_[r] = borders_.left_e(first_row_ + r);
      }
    }
  }
  /// Asks for the row above and the items of the columns of piece p, a column a lane.
  __device__ void prefetch(i32 p) {
    const i32 column = p * piece + lane_;
    fresh_ = true;
    if (column >= width_) return;
    next_item_ = trace_item<P, V>(task_.columns, extent_.piece.column - task_.column_begin + column);
    if (band_ > 0) fresh_ = load_tagged(column);
    else borders_.above(column, next_top_);
  }
  __device__ bool load_tagged(i32 column) { return Tagged::load(row_, column, tag_ - 1, next_top_); }

  /// Puts piece p where the lanes find it, once the band above has written it.
  __device__ bool take_piece(i32 p) {
    const i32 column = p * piece + lane_;
    while (!__all_sync(~0u, fresh_)) {
      if (!wait_for_piece(p)) return false;
      if (!fresh_) fresh_ = load_tagged(column);
    }
    memory_.items[column % (2 * piece)] = next_item_;
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) memory_.top[plane][lane_] = next_top_[plane];
    return true;
  }
  /// Waits until the piece's last column has been written. False when the launch is over.
  __device__ bool wait_for_piece(i32 p) {
    const i32 last = minimum((p + 1) * piece, width_) - 1;
    // The row is every band's: its tag says how many bands there are from its writer to the one above this one.
    const auto distance = [&] {
      const u32 bands = lane_ == 0 ? tag_ - 1 - Tagged::tag_at(row_, last) : 0;
      return minimum(__shfl_sync(~0u, bands, 0), band_);
    };
    return device::wait_by_distance<device::backoffs::codes_above>(
        distance, [] {}, [&] { return device::aborted(a_.launch); });
  }

  /// @tparam inside all of the lanes' columns are the piece's
  template <bool inside>
  __device__ __forceinline__ void steps(i32 p) {
    u16* codes = codes_ + static_cast<i64>(p * piece) * 32;
    u64* row = row_ + static_cast<i64>(p * piece - lane_) * Tagged::words;
#pragma unroll 4
    for (i32 at = 0; at < piece; ++at, codes += 32, row += Tagged::words) {
      if (at + columns_before_end == piece) prefetch(p + 1);
      const i32 column = p * piece + at - lane_;
      V up = shuffle_up(bottom_[0]), f = planes == 2 ? shuffle_up(bottom_[planes - 1]) : V(0);
      if (!inside && (column < 0 || column >= width_)) {
        // Walks copy the codes of whole steps.
        if (column + lane_ < width_ + 31) *codes = 0;
        continue;
      }
      if (lane_ == 0) up = memory_.top[0][at];
      if (planes == 2 && lane_ == 0) f = memory_.top[planes - 1][at];
      *codes = static_cast<u16>(cells(memory_.items[column & (2 * piece - 1)], column, up, f));
      bottom_[0] = up;
      if constexpr (planes == 2) bottom_[planes - 1] = f;
      if (lane_ == 31) Tagged::store(row, 0, tag_, bottom_);
    }
  }

  /// One column of the lane's rows. @return their codes
  __device__ __forceinline__ u32 cells(V item, i32 column, V& up, V& f) {
    V diagonal = diagonal_;
    diagonal_ = up;
    u32 codes = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const V s = score(r, item);
      const Around<V> around{diagonal, up, h_[r], e_[r], f};
      Cell<V> cell = P::template cell<V>(k_, around, s);
      if constexpr (windowed) {
        if (!inside(table_row(first_row_ + r), table_column(column))) cell.h = V(infinity);
      }
      codes |= trace_code<P, V>(k_, around, s, cell) << (4 * r);
      diagonal = h_[r];
      up = h_[r] = cell.h;
      f = cell.f;
      e_[r] = cell.e;
    }
    return codes;
  }
  __device__ __forceinline__ V score(int r, V item) const {
    if constexpr (by_matrix<P>) {
      return add_score(V(0), k_.scale, memory_.profiles.words[static_cast<i64>(item)][r / 4][lane_], r);
    } else {
      return P::template score<V>(k_, items_[r], item);
    }
  }

  /// Columns before a piece's end at which the next one is asked for.
  static constexpr int columns_before_end = measured::CudaTrace::columns_ahead;

  const TraceArguments<Task>& a_;
  const Constants& k_;
  const Task& task_;
  const TraceExtent extent_;
  TraceBorders<P, V, Task> borders_;
  Memory& memory_;
  const int lane_;
  const i32 width_;
  const i32 first_row_;  // of the lane, counted from the piece's first
  const u32 band_, tag_;
  u64* const row_;    // tagged
  u16* const codes_;  // the lane's of the band's first step
  V items_[R], h_[R], e_[R];
  V diagonal_{};        // H of the last column above the lane's first row
  V bottom_[planes]{};  // H and F below its last row
  V next_top_[planes], next_item_{};
  bool fresh_ = true;
};

}  // namespace terrace::wavefront
