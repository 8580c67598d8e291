// The rows of a band that a lane holds: their items, such as the letters of the query, and the scores of their cells.
#pragma once

#include "kernels/values/word.cuh"
#include "kernels/wavefront/cuda/letters/context.cuh"

namespace terrace::wavefront {

/// Ways to compute the score of a cell.
enum class Scoring {
  plain,  // by the problem, from the items
  coded,  // for columns with letters below 4: a dot product of bytes, added to the diagonal on a pipe that is free
};

/// @tparam Warp a WarpContext
template <class Warp>
class LaneRows {
  using P = typename Warp::P;
  using V = typename Warp::V;
  static constexpr int R = Warp::R;

 public:
  /// True if scores of four letters may be added by a dot product of bytes.
  static constexpr bool can_code = requires {
    requires P::score_joins_diagonal;
    requires sizeof(V) == sizeof(Word);
  };

  __device__ void load(const Warp& warp) {
    const i32 first = warp.lane * R;
    count_ = warp.band.rows - first < 0 ? 0 : warp.band.rows - first > R ? R : warp.band.rows - first;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      items_[r] = r < count_ ? Warp::Item::at(warp.band.task.rows, warp.band.first_row + first + r) : V(0);
    }
  }
  /// For problems with a substitution matrix: the scores of the rows with every letter, in shared memory.
  __device__ void make_profile(const Warp& warp) const {
    wavefront::make_profile<V, R>(warp.arguments.matrix, items_, warp.memory.profiles, warp.lane);
  }
  /// Turns the letters of the rows into bytes for dot products: byte x has the score with letter x. Returns false,
  /// and keeps the letters, if a score does not fit. Rows below the band's last score 0, so that none of their cells
  /// is larger than an earlier one above it.
  __device__ bool code(const Warp& warp) {
    bool fits = true;
    V codes[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      u32 bytes = 0;
#pragma unroll
      for (int letter = 0; letter < 4; ++letter) {
        const i64 score = static_cast<i64>(P::template score<V>(warp.k, items_[r], V(letter)));
        fits = fits && score >= -128 && score <= 127;
        bytes |= static_cast<u32>(score & 255) << (8 * letter);
      }
      codes[r] = V(r < count_ ? static_cast<i64>(bytes) : 0);
    }
    if (!__all_sync(~0u, fits)) return false;
#pragma unroll
    for (int r = 0; r < R; ++r) items_[r] = codes[r];
    return true;
  }

  /// Rows of the band that the lane holds; the others of its R are below the band's last.
  __device__ __forceinline__ i32 count() const { return count_; }

  /// The cell of row r in a column with this item, or with its code.
  template <Scoring scoring, class W>
  __device__ __forceinline__ Cell<W> cell(const Warp& warp, const typename P::template Constants<W>& k, int r, V item,
                                          Around<W> around) const {
    if constexpr (scoring == Scoring::coded) {
      around.diagonal = W::of(__dp4a(items_[r].value, item.value, around.diagonal.value));
      return P::template cell<W>(k, around, W(0));
    } else if constexpr (by_matrix<P>) {
      const u32 scores = warp.memory.profiles.words[static_cast<i64>(item)][r / 4][warp.lane];
      around.diagonal = as<W>(add_score(as<V>(around.diagonal), warp.k.scale, scores, r));
      return P::template cell<W>(k, around, W(0));
    } else {
      return P::template cell<W>(k, around, P::template score<W>(k, as<W>(items_[r]), as<W>(item)));
    }
  }
  /// The score of row r in a column with this item, if rows are not coded.
  __device__ __forceinline__ V score(const Warp& warp, int r, V item) const {
    return P::template score<V>(warp.k, items_[r], item);
  }
  /// The same in a column whose letter is not below 4, if rows are coded: with the letter of row r, read again.
  __device__ V odd_score(const Warp& warp, int r, V item) const {
    const V letter = r < count_ ? Warp::Item::at(warp.band.task.rows, warp.band.first_row + warp.lane * R + r) : V(0);
    return P::template score<V>(warp.k, letter, V(~static_cast<i64>(item)));
  }

 private:
  i32 count_ = 0;
  V items_[R];  // or codes
};

}  // namespace terrace::wavefront
