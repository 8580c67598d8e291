// The best cells of lanes, exactly: ties go to the smallest row, then to the smallest column.
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"

namespace terrace::wavefront {

/// The best of the lanes' candidates. All lanes call it.
__device__ inline Candidate best_of_warp(Candidate best) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    Candidate other;
    other.score = __shfl_xor_sync(~0u, best.score, distance);
    other.row = __shfl_xor_sync(~0u, best.row, distance);
    other.column = __shfl_xor_sync(~0u, best.column, distance);
    other.found = __shfl_xor_sync(~0u, best.found, distance);
    if (goes_before(other, best)) best = other;
  }
  return best;
}

/// Follows the best of the cells of problem P that a lane looks at, those in a row in the order of columns.
template <class P, class V>
class LaneEnd {
 public:
  __device__ __forceinline__ void look(V h, i32 row, i32 column) {
    if (row_ >= 0 && !is_better<P>(h, score_) && !(h == score_ && row < row_)) return;
    score_ = h;
    row_ = row;
    column_ = column;
  }

  /// The best of all lanes, whose rows count from `first_row`. All lanes call it.
  __device__ Candidate of_warp(i64 first_row) const {
    return best_of_warp({reported(score_), first_row + row_, column_, row_ >= 0});
  }

 private:
  V score_ = V(0);
  i32 row_ = -1;  // none yet
  i32 column_ = 0;
};

/// Follows the best cell above 0 of R rows, column by column. A step costs half a maximum a cell: row and column are
/// looked for only if the maximum of a step reaches the best so far, which is rare.
template <class V, int R>
class LaneBest {
 public:
  /// @param h the column's cells @param rows how many of them are of the band
  __device__ __forceinline__ void look(const V (&h)[R], i32 rows, i32 column) {
    V most = h[0];
#pragma unroll
    for (int r = 1; r + 1 < R; r += 2) most = maximum(most, h[r], h[r + 1]);
    if constexpr (R % 2 == 0) most = maximum(most, h[R - 1]);
    if (!(most >= score_)) return;
    int row = R;
#pragma unroll
    for (int r = R - 1; r >= 0; --r) {
      if (h[r] == most && r < rows) row = r;
    }
    const bool known = row_ >= 0 && most == score_ && (row > row_ || (row == row_ && column >= column_));
    if (row == R || known) return;
    score_ = most;
    row_ = row;
    column_ = column;
  }

  /// The largest cell so far, and its row; 0 and -1 if none is above 0.
  __device__ V score() const { return row_ < 0 ? V(0) : score_; }
  __device__ int row() const { return row_; }

  /// The best of all lanes; lane l's first row is `first_row` + l * R. All lanes call it.
  __device__ Candidate of_warp(i64 first_row, int lane) const {
    return best_of_warp({static_cast<i64>(score_), first_row + lane * R + row_, column_, row_ >= 0});
  }

 private:
  V score_ = V(1);
  int row_ = -1;  // none yet
  i32 column_ = 0;
};

}  // namespace terrace::wavefront
