// Pairs of series that are sure to exceed a limit, on CUDA: a warp finds a lower bound of the cost of a pair (Keogh
// 2002). Each value of the rows costs no less than its distance to the range of the columns that it may be paired
// with; 32 rows share the range of all that any of them reaches.
#pragma once

#include "kernels/pairs/certain_cost.hpp"
#include "kernels/pairs/cuda/order_kernel.cuh"
#include "kernels/wavefront/window.hpp"

namespace terrace::pairs {

inline constexpr u32 bounds_threads = 128;

struct BoundsLaunch {
  PairsTask task;
  u8* far;                          // of each pair: 1 if it is sure to exceed the limit
  i64 longest_row, longest_column;  // pairs with longer items are not looked at
  i64 window;
  double at_most;
  i32 squared;       // costs
  i32 free_columns;  // not 0: rows are warped to any part of the columns
};

/// A pair, as a warp looks at it.
template <class T>
class BoundedPair {
 public:
  __device__ BoundedPair(const BoundsLaunch& work, i64 number)
      : work_(work), lane_(static_cast<i32>(threadIdx.x) % 32) {
    const Pair pair = pair_of(work.task, number);
    row_values_ = static_cast<const T*>(work.task.rows) + work.task.row_begin[pair.row];
    column_values_ = static_cast<const T*>(work.task.columns) + work.task.column_begin[pair.column];
    rows_ = length_of(work.task.row_begin, pair.row);
    columns_ = length_of(work.task.column_begin, pair.column);
  }

  /// True if the pair's cost is sure to exceed the limit; all lanes call it.
  __device__ bool is_far() {
    if (rows_ == 0 || columns_ == 0 || !wavefront::in_window(work_.window, rows_, columns_) ||
        rows_ > work_.longest_row || columns_ > work_.longest_column) {
      return false;
    }
    double sum = sum_of_lane();
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0u, sum, apart);
    return certain_cost(sum, static_cast<double>(rows_ + columns_ + 8), sizeof(T) == 8) > work_.at_most;
  }

  __device__ End end() const { return {rows_, columns_}; }

 private:
  __device__ double cost(double apart) const { return cost_of_distance(apart, work_.squared != 0); }

  __device__ double sum_of_lane() {
    // The first pair and the last one are known, unless any columns may be left out.
    const i64 known = work_.free_columns != 0 || rows_ < 2 ? 0 : 1;
    double sum = 0;
    i64 begin = 0, end = 0;
    for (i64 first = 0; first < rows_; first += 32) {
      const i64 last = values::minimum(first + 32, rows_);
      const i64 reached = values::maximum(i64{0}, first - work_.window),
                until = values::minimum(columns_, last + work_.window);
      if (reached != begin || until != end) find_range(begin = reached, end = until);
      const i64 row = first + lane_;
      if (row < known || row >= rows_ - known) continue;
      const double value = row_values_[row], above = value - greatest_, below = least_ - value;
      sum += cost(values::maximum(0.0, values::maximum(above, below)));
    }
    if (known > 0 && lane_ == 0) {
      sum += cost(double{row_values_[0]} - double{column_values_[0]});
      sum += cost(double{row_values_[rows_ - 1]} - double{column_values_[columns_ - 1]});
    }
    return sum;
  }

  /// The range of the values of columns [begin, end), of which there is one at least.
  __device__ void find_range(i64 begin, i64 end) {
    T least = column_values_[begin], greatest = least;
    for (i64 column = begin + lane_; column < end; column += 32) {
      const T value = column_values_[column];
      least = value < least ? value : least;
      greatest = value > greatest ? value : greatest;
    }
    for (int apart = 16; apart > 0; apart /= 2) {
      const T less = __shfl_xor_sync(~0u, least, apart), more = __shfl_xor_sync(~0u, greatest, apart);
      least = less < least ? less : least;
      greatest = more > greatest ? more : greatest;
    }
    least_ = least;
    greatest_ = greatest;
  }

  const BoundsLaunch& work_;
  i32 lane_;
  const T *row_values_, *column_values_;
  i64 rows_, columns_;
  double least_, greatest_;
};

/// Reports the pairs that are sure to exceed the limit, and marks them.
template <class P, class T>
__global__ void __launch_bounds__(bounds_threads)
    find_far_kernel(PairsState* state, const __grid_constant__ BoundsLaunch work) {
  if (state->begun == 0) return;
  constexpr i64 warps = bounds_threads / 32;
  for (i64 number = static_cast<i64>(blockIdx.x) * warps + threadIdx.x / 32; number < work.task.count;
       number += static_cast<i64>(gridDim.x) * warps) {
    BoundedPair<T> pair(work, number);
    const bool far = pair.is_far();
    if (threadIdx.x % 32 != 0) continue;
    work.far[number] = far ? 1 : 0;
    if (!far) continue;
    static_cast<T*>(work.task.scores)[number] = static_cast<T>(wavefront::infinity);
    if (work.task.ends != nullptr) work.task.ends[number] = pair.end();
    atomicAdd(&state->stopped, u64{1});
  }
}

}  // namespace terrace::pairs
