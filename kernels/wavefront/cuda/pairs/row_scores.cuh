// The letters of a lane's rows, such as the query's, as the bytes from which a column's selector picks scores.
#pragma once

#include "kernels/wavefront/cuda/pairs/context.cuh"
#include "kernels/wavefront/cuda/pairs/selectors.cuh"
#include "kernels/wavefront/cuda/pairs/values.cuh"

namespace terrace::wavefront {

__device__ __forceinline__ device::u8 letter_at(const void* letters, i64 index) {
  return device::load_past_l1(static_cast<const device::u8*>(letters) + index);
}

/// Scores with the cost of a gap's first letter added, which H is kept without. @tparam Warp a PairContext
template <class Warp>
class RowScores {
  using P = typename Warp::P;
  static constexpr int R = Warp::R;

 public:
  /// All lanes call it. @return true if some of the band's rows have a letter other than the four
  __device__ bool load(const Warp& warp, const PairValues& values) {
    for (i32 row = warp.lane; row < warp.rows; row += 32)
      warp.memory.letters[row] = letter_at(warp.band.task.rows, warp.band.first_row + row);
    __syncwarp();
    bool odd = false;
    for (i32 row = warp.lane; row < warp.rows; row += 32) odd = odd || warp.memory.letters[row] >= 4;
    const bool has_odd = __any_sync(~0u, odd);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      upper_[r] = scores_of(warp, values, warp.row_of(r));
      lower_[r] = scores_of(warp, values, warp.row_of(R + r));
    }
    return has_odd;
  }

  /// Scores of word r. @param selector of the upper half's column
  __device__ __forceinline__ u32 pick(int r, u32 selector) const {
    return device::pick_bytes(upper_[r], lower_[r], selector);
  }
  /// Scores of word r if a column has a letter that is not below 4, computed with the rows' letters themselves.
  __device__ __forceinline__ u32 odd_scores(const Warp& warp, const PairValues& values, int r, u32 selector,
                                            i32 column, u32 scores) const {
    const u32 before = warp.memory.selectors[(column - 1) & (Warp::Memory::ring - 1)];
    const auto score = [&](i32 row, u32 letter) {
      if (row >= warp.rows) return values.first;
      return values.first + P::template score<Word>(warp.k, Word(warp.memory.letters[row]), Word(letter)).value;
    };
    return choose(odd_columns(warp, selector, column),
                  halves(score(warp.row_of(r), selector >> 16), score(warp.row_of(R + r), before >> 16)), scores);
  }

 private:
  /// The bytes of a row: the score with each of the four letters. Rows below the band's last score 0, so that none of
  /// their cells is larger than an earlier one above it.
  __device__ static u32 scores_of(const Warp& warp, const PairValues& values, i32 row) {
    u32 bytes = 0;
    const Word letter = Word(row < warp.rows ? warp.memory.letters[row] : 0);
#pragma unroll
    for (int column = 0; column < 4; ++column) {
      const i32 score = row < warp.rows ? P::template score<Word>(warp.k, letter, Word(column)).value : 0;
      bytes |= static_cast<u32>((score + values.first) & 255) << (8 * column);
    }
    return bytes;
  }

  u32 upper_[R], lower_[R];  // of the rows in low and in high halves
};

}  // namespace terrace::wavefront
