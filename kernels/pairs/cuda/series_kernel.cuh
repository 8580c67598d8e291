// Time warping on CUDA: the lanes of a warp have rows of a pair in registers, and hand cells of columns from lane to
// lane, each a column behind the one before. Items end at the last row of the last lane, as those of alignments do:
// rows before an item's first one are infinitely far from all others. With free columns they are at no distance:
// their cells are 0, from which the first row begins anywhere, and the last lane looks for the least cell of the last
// row.
#pragma once

#include "kernels/pairs/cuda/order_kernel.cuh"
#include "kernels/values/real.cuh"
#include "kernels/wavefront/problem_list.hpp"

namespace terrace::pairs {

inline constexpr u32 series_threads = 128;

struct SeriesLaunch {
  PairsTask task;
  const i32* order;
  void* handed;       // of each warp, what strips hand down, of each column
  i64 handed_stride;  // columns of a warp
  i64 window;
  double at_most;    // a larger cost is reported as infinite
  i32 free_columns;  // not 0: rows are warped to any part of the columns
};

/// @tparam R rows of a lane @tparam limited costs have a limit: pairs that exceed it are left on the way
template <class P, class T, int R, bool limited>
class SeriesWarp {
  using V = values::Real<T>;

 public:
  __device__ SeriesWarp(const SeriesLaunch& work, i64 warp)
      : work_(work),
        lane_(static_cast<i32>(threadIdx.x) % 32),
        handed_(static_cast<V*>(work.handed) + warp * work.handed_stride) {}

  /// @return true in the first lane if the pair was left on the way, since its cost exceeds the limit
  __device__ bool compute(i64 number) {
    left_ = false;
    const Pair pair = pair_of(work_.task, number);
    row_values_ = static_cast<const T*>(work_.task.rows) + work_.task.row_begin[pair.row];
    column_values_ = static_cast<const T*>(work_.task.columns) + work_.task.column_begin[pair.column];
    rows_ = static_cast<i32>(length_of(work_.task.row_begin, pair.row));
    columns_ = static_cast<i32>(length_of(work_.task.column_begin, pair.column));
    end_ = columns_;
    T cost = static_cast<T>(wavefront::infinity);
    // Without a cell, or with the last one outside the window, the cost is infinite.
    if (rows_ > 0 && columns_ > 0 && wavefront::in_window(work_.window, rows_, columns_)) cost = sweep();
    if (lane_ != 0) return false;
    if (static_cast<double>(cost) > work_.at_most) cost = static_cast<T>(wavefront::infinity);
    static_cast<T*>(work_.task.scores)[number] = cost;
    if (work_.task.ends != nullptr) work_.task.ends[number] = {rows_, end_};
    return limited && left_;
  }

 private:
  static constexpr i32 strip_rows = 32 * R;
  /// Steps after which costs are compared with the limit. Not measured.
  static constexpr i32 look_steps = 64;

  __device__ static V infinite() { return V(static_cast<T>(wavefront::infinity)); }
  /// H above the first row.
  __device__ V border() const { return work_.free_columns != 0 ? V(T(0)) : infinite(); }

  /// @return the cost, in all lanes
  __device__ T sweep() {
    const i32 strips = (rows_ + strip_rows - 1) / strip_rows;
    i32 before_begin = 0, before_end = 0;
    for (i32 strip = 0; strip < strips; ++strip) {
      first_row_ = rows_ - (strips - strip) * strip_rows + lane_ * R;
      const i64 strip_first = rows_ - static_cast<i64>(strips - strip) * strip_rows;
      // Columns with cells in the window of some row of the strip.
      const i64 begin = values::maximum(i64{0}, values::maximum(i64{0}, strip_first) - work_.window);
      const i64 end = values::minimum(i64{columns_}, strip_first + strip_rows + work_.window);
      make_strip(strip, strip + 1 < strips, static_cast<i32>(values::minimum(begin, i64{columns_})),
                 static_cast<i32>(end), before_begin, before_end);
      if (limited && left_) return static_cast<T>(wavefront::infinity);
      before_begin = static_cast<i32>(values::minimum(begin, i64{columns_}));
      before_end = static_cast<i32>(end);
    }
    if (work_.free_columns == 0) return __shfl_sync(~0u, h_[R - 1].value, 31);
    end_ = __shfl_sync(~0u, end_, 31);
    return __shfl_sync(~0u, least_, 31);
  }

  /// Columns [begin, end); leaves the pair if it exceeds the limit.
  /// @param before_begin, before_end those of the strip above
  __device__ void make_strip(i32 strip, bool hands_on, i32 begin, i32 end, i32 before_begin, i32 before_end) {
    load_rows(begin);
    if (limited && hands_on) least_ = static_cast<T>(wavefront::infinity);
    // Warpings begin and end at the sides of a table of one strip.
    const bool looks = limited && strip == 0 && !hands_on && work_.free_columns == 0;
    const auto above = [&](i32 column) {
      if (strip == 0) return border();
      return column >= before_begin && column < before_end ? handed_[column] : infinite();
    };
    if (lane_ == 0 && begin > 0) diagonal_ = above(begin - 1);
    const auto values_of = [&](i32 column) { return column < end ? column_values_[column] : T(0); };
    T loaded = T(0), ahead = values_of(begin + lane_), value = T(0);
    V below = infinite(), next_above = lane_ == 0 && begin < end ? above(begin) : infinite();
    const auto advance = [&]<bool whole>(i32 step) {
      if (step % 32 == 0) {
        loaded = ahead;
        ahead = values_of(begin + step + 32 + lane_);
      }
      const T fed = __shfl_sync(~0u, loaded, step % 32);
      value = __shfl_up_sync(~0u, value, 1);
      V up(__shfl_up_sync(~0u, below.value, 1));
      const i32 column = begin + step - lane_;
      if (lane_ == 0) {
        value = fed;
        up = next_above;
        if (column + 1 < end) next_above = above(column + 1);
      }
      if (!whole && (column < begin || column >= end)) return;
      if (whole || is_inside(column)) make_column<false>(column, V(value), up);
      else make_column<true>(column, V(value), up);
      below = h_[R - 1];
      if (hands_on && lane_ == 31) {
        handed_[column] = below;
        if constexpr (limited) least_ = values::minimum(least_, below.value);
      }
      if (!hands_on && work_.free_columns != 0) look(column, below.value);
    };
    // First and last some lanes have no column, or a row outside the item or the window.
    const i32 steps = end - begin + 31;
    i32 step = 0;
#pragma unroll 1
    while (step < steps) {
      if (looks && step >= 32 && are_all_far()) {
        left_ = true;
        return;
      }
      const i32 whole = whole_steps(begin, end, step), taken = looks ? values::minimum(whole, look_steps) : whole;
#pragma unroll 2
      for (const i32 until = step + taken; step < until; ++step) advance.template operator()<true>(step);
      if (taken < whole) continue;
      if (step >= steps) break;
#pragma unroll 1
      for (const i32 until = values::minimum(step + 32, steps); step < until; ++step)
        advance.template operator()<false>(step);
    }
    __syncwarp();
    // Every warping goes through the strip's last row, and costs never fall along it, rounded as they are.
    if (limited && hands_on) left_ = static_cast<double>(__shfl_sync(~0u, least_, 31)) > work_.at_most;
  }

  /// True if all cells of the last step exceed the limit, and all above a lane's rows in its column, which were made
  /// a step before. A warping goes through one of these cells, once all lanes have begun: each of its steps leads a
  /// column to the right, a lane on, or both, and then past a cell that is the last of a lane.
  __device__ bool are_all_far() const {
    T least = diagonal_.value;
#pragma unroll
    for (int r = 0; r < R; ++r) least = values::minimum(least, h_[r].value);
    return __all_sync(~0u, static_cast<double>(least) > work_.at_most) != 0;
  }

  /// Steps from one on in which each lane has a column, and all its rows are inside; all lanes call it.
  __device__ i32 whole_steps(i32 begin, i32 end, i32 step) const {
    const i32 last = end - begin - 1;  // of the first lane's columns
    const bool inside_now = step >= 31 && step <= last && is_inside(begin + step - lane_);
    if (!__all_sync(~0u, inside_now)) return 0;
    // Rows stay in the window until the column is further right than the first row by more than it.
    const i64 leaves = i64{first_row_} + work_.window - (begin + step - lane_);
    const auto more = static_cast<i32>(values::minimum(leaves, i64{last - step})) + 1;
    return -__reduce_max_sync(~0u, -more);
  }

  /// Follows the least cost of the last row, which is a row of the last lane; the first of equal costs counts.
  __device__ void look(i32 column, T cost) {
    if (column > 0 && !(cost < least_)) return;
    least_ = cost;
    end_ = column + 1;
  }

  __device__ void load_rows(i32 begin) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const i32 row = first_row_ + r;
      row_[r] = row < 0 ? infinite() : V(row_values_[row]);
      h_[r] = infinite();
    }
    diagonal_ = infinite();
    if (begin > 0) return;
    // The corner is left of the row before the first one.
    const V corner = P::corner(typename P::template Constants<V>(), V(row_values_[0]), V(column_values_[0]));
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (first_row_ + r == -1) h_[r] = corner;
    }
    if (first_row_ == 0) diagonal_ = corner;
  }

  /// True if all rows of the lane are in the window in that column, and are of the item or come out infinite.
  __device__ bool is_inside(i32 column) const {
    const i64 first = i64{first_row_} - column;
    return (first_row_ >= 0 || work_.free_columns == 0) && first >= -work_.window && first + (R - 1) <= work_.window;
  }

  /// @tparam edge some rows may not be inside
  template <bool edge>
  __device__ void make_column(i32 column, V value, V up) {
    V diagonal = diagonal_;
    diagonal_ = up;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const V left = h_[r];
      const V s = P::template score<V>(typename P::template Constants<V>(), row_[r], value);
      V h = P::template cell<V>(typename P::template Constants<V>(), {diagonal, up, left, V(T(0)), V(T(0))}, s).h;
      if constexpr (edge) {
        if (first_row_ + r < 0) h = border();
        else if (!wavefront::in_window(work_.window, first_row_ + r, column)) h = infinite();
      }
      diagonal = left;
      up = h_[r] = h;
    }
  }

  const SeriesLaunch& work_;
  i32 lane_;
  V* handed_;
  const T *row_values_, *column_values_;
  i32 rows_, columns_, first_row_, end_;
  bool left_;  // the pair exceeds the limit
  T least_;
  V row_[R], h_[R], diagonal_;
};

template <class P, class T, int R, bool limited>
__global__ void __launch_bounds__(series_threads, 4)
    series_kernel(const __grid_constant__ device::Port port, PairsState* state,
                  const __grid_constant__ SeriesLaunch work) {
  if (state->begun == 0) return;
  SeriesWarp<P, T, R, limited> warp(work, static_cast<i64>(blockIdx.x) * (series_threads / 32) + threadIdx.x / 32);
  i64 place = 0;
  while (take_places(port, state, 1, place)) {
    if (warp.compute(work.order[place])) atomicAdd(&state->stopped, u64{1});
  }
}

}  // namespace terrace::pairs
