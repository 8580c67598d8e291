// Alignments of letters, one in each lane. Included once for each instruction set, with TERRACE_ISA as its name.
//
// A few columns at a time go down all rows: H and F of the row above stay in registers, H and E at the left are in
// memory. Lanes with fewer rows or columns make cells beyond their ends, which no cell of theirs depends on.
#pragma once

#include "kernels/pairs/cpu/letter_ends.hpp"
#include "kernels/pairs/cpu/letter_scores.hpp"
#include "kernels/pairs/cpu/saturating.hpp"
#include "kernels/pairs/cpu/work.hpp"
#include "kernels/wavefront/problem_list.hpp"

namespace terrace::pairs::TERRACE_ISA {
namespace {

/// Values of type T. Those of local alignments of 8 and 16 bits count from the least number that the type has, so
/// that sums end at their 0, and are capped at the largest.
template <bool local, class T>
struct Values {
  static constexpr bool saturates = local && sizeof(T) < 4;
  static constexpr T zero = saturates ? static_cast<T>(i64{1} << (8 * sizeof(T) - 1)) : T{0};
  static constexpr T largest = static_cast<T>((u64{1} << (8 * sizeof(T) - 1)) - 1);

  TERRACE_HOST_DEVICE static Pack<T> sum(Pack<T> a, Pack<T> b) {
    if constexpr (saturates) return add_saturated(a, b);
    else return add(a, b);
  }
  /// a - b, of local alignments no less than 0.
  TERRACE_HOST_DEVICE static Pack<T> opened(Pack<T> a, Pack<T> b) {
    if constexpr (saturates) return subtract_saturated(a, b);
    else if constexpr (local) return maximum(subtract(a, b), Pack<T>(0));
    else return subtract(a, b);
  }
  /// a - b, in a maximum with a value of opened().
  TERRACE_HOST_DEVICE static Pack<T> extended(Pack<T> a, Pack<T> b) {
    if constexpr (saturates) return subtract_saturated(a, b);
    else return subtract(a, b);
  }
};

template <bool local, bool affine, bool with_ends, class T, template <class, int> class Scorer, int block>
class LettersLanes {
  using V = Pack<T>;
  using Rules = Values<local, T>;
  static constexpr i64 lanes = V::lanes;

 public:
  explicit LettersLanes(LettersWork& work)
      : work_(work),
        first_(work.scores.first),
        next_(work.scores.next),
        h_(reinterpret_cast<T*>(work.memory)),
        e_(h_ + work.rows * lanes),
        kept_(e_ + work.rows * lanes),
        scorer_(work, reinterpret_cast<T*>(work.memory + most_vector_bytes * work.rows * (2 + most_block))) {}

  void run() {
    for (i64 i = 0; i < work_.rows; ++i) {
      const auto border = left(i);
      V(border.h).store(h_ + i * lanes);
      if constexpr (affine) V(border.gap).store(e_ + i * lanes);
    }
    best_ = V(Rules::zero + (with_ends ? 1 : 0));
    for (i64 column = 0; column < work_.columns; column += block) {
      scorer_.begin(column);
      make_block(column);
      if constexpr (!local) look(column);
    }
    if constexpr (local) finish();
  }

 private:
  using Border = wavefront::Border<i64>;

  Border left(i64 row) const { return border(row, work_.scores.free_rows); }
  Border top(i64 column) const { return border(column, work_.scores.free_columns); }
  Border border(i64 before, bool free) const {
    if constexpr (local) return {Rules::zero, Rules::zero};
    else return wavefront::NeedlemanWunschBase::border<i64>(work_.scores.first, work_.scores.next, before, free);
  }

  void make_block(i64 column) {
    for (int k = 0; k < block; ++k) {
      const auto border = top(column + k);
      up_[k] = V(border.h);
      if constexpr (affine) f_[k] = V(border.gap);
    }
    diagonal_ = V(top(column - 1).h);
    if constexpr (local) {
      make_rows<false>(column, 0, work_.rows);
    } else {
      // Free ends of the rows: all cells of a lane's last column are looked at.
      keep_from_ = work_.scores.free_rows && has_last_columns(column) ? 0 : work_.least_rows - 1;
      make_rows<false>(column, 0, keep_from_);
      make_rows<true>(column, keep_from_, work_.rows);
    }
  }

  template <bool keep>
  void make_rows(i64 column, i64 begin, i64 end) {
    V up[block], f[block], diagonal = diagonal_, best = best_;
    for (int k = 0; k < block; ++k) {
      up[k] = up_[k];
      f[k] = f_[k];
    }
    const V first = first_, next = next_;
    for (i64 i = begin; i < end; ++i) {
      V s[block];
      scorer_.row(i, s);
      const V before = V::load(h_ + i * lanes);
      V h = before, e = affine ? V::load(e_ + i * lanes) : V{};
#pragma GCC unroll 8
      for (int k = 0; k < block; ++k) {
        const V sum = Rules::sum(diagonal, s[k]);
        diagonal = up[k];
        if constexpr (affine) {
          // E is the chain from column to column. A gap that is opened behind one is no better than that one,
          // extended.
          const V without_e = maximum(sum, f[k]);
          h = maximum(without_e, e);
          e = maximum(Rules::extended(e, next), Rules::opened(without_e, first));
          f[k] = maximum(Rules::extended(f[k], next), Rules::opened(h, first));
        } else {
          h = maximum(sum, Rules::opened(maximum(up[k], h), first));
        }
        up[k] = h;
        if constexpr (local && !with_ends) best = maximum(best, h);
        if constexpr (keep) h.store(kept_ + ((i - begin) * block + k) * lanes);
      }
      diagonal = before;
      h.store(h_ + i * lanes);
      if constexpr (affine) e.store(e_ + i * lanes);
      if constexpr (local && with_ends) {
        V most = up[0];
#pragma GCC unroll 8
        for (int k = 1; k < block; ++k) most = maximum(most, up[k]);
        if (__builtin_expect(any(most.v >= best.v), 0)) best = ends_.template look<block>(best, up, i, column);
      }
    }
    for (int k = 0; k < block; ++k) {
      up_[k] = up[k];
      f_[k] = f[k];
    }
    diagonal_ = diagonal;
    best_ = best;
  }

  bool has_last_columns(i64 column) const {
    for (i64 lane = 0; lane < work_.lanes; ++lane) {
      if (work_.items[lane].columns > column && work_.items[lane].columns <= column + block) return true;
    }
    return false;
  }

  /// Looks at the cells of a block in which alignments of its lanes may end.
  void look(i64 column) {
    for (i64 lane = 0; lane < work_.lanes; ++lane) {
      const LaneItem item = work_.items[lane];
      if (item.columns <= column) continue;
      const i64 last = item.columns - 1 - column;  // of the block's columns
      if (work_.scores.free_columns) {
        for (i64 k = 0; k < block && k <= last; ++k) look_at(lane, item.rows - 1, column, k);
      }
      if (last >= block) continue;
      if (!work_.scores.free_columns) look_at(lane, item.rows - 1, column, last);
      if (!work_.scores.free_rows) continue;
      for (i64 i = 0; i < item.rows; ++i) look_at(lane, i, column, last);
    }
  }
  void look_at(i64 lane, i64 row, i64 column, i64 k) {
    const i64 score = kept_[((row - keep_from_) * block + k) * lanes + lane];
    LaneBest& best = work_.best[lane];
    const bool goes_before = score != best.score   ? score > best.score
                             : row + 1 != best.row ? row + 1 < best.row
                                                   : column + k + 1 < best.column;
    if (goes_before) best = {score, static_cast<i32>(row + 1), static_cast<i32>(column + k + 1)};
  }

  void finish() {
    T scores[lanes];
    best_.store(scores);
    for (i64 lane = 0; lane < work_.lanes; ++lane) {
      const i64 score = i64{scores[lane]} - Rules::zero;
      work_.overflow[lane] = Rules::saturates && scores[lane] == Rules::largest;
      if constexpr (with_ends) {
        if (ends_.has(lane)) work_.best[lane] = {score, ends_.row(lane), ends_.column(lane)};
      } else {
        work_.best[lane] = {score, 0, 0};
      }
    }
  }

  LettersWork& work_;
  V first_, next_;
  T *h_, *e_, *kept_;
  Scorer<T, block> scorer_;
  V up_[block], f_[block], diagonal_, best_;
  LaneEnds<T> ends_;
  i64 keep_from_ = 0;
};

/// Columns that registers hold.
template <template <class, int> class Scorer>
inline constexpr int block_of = 4;
template <>
inline constexpr int block_of<MixedScores> = 8;

template <bool local, bool affine, bool with_ends, class T, template <class, int> class Scorer>
void make_letters(LettersWork& work) {
  for (bool& overflow : work.overflow) overflow = false;
  LettersLanes<local, affine, with_ends, T, Scorer, block_of<Scorer>>(work).run();
}

template <bool local, bool affine, bool with_ends, class T>
LettersFunction letters_function(Scoring scoring) {
  if (scoring == Scoring::equal) return make_letters<local, affine, with_ends, T, EqualScores>;
  if (scoring == Scoring::shared) return make_letters<local, affine, with_ends, T, SharedScores>;
  return make_letters<local, affine, with_ends, T, MixedScores>;
}

template <bool affine>
LettersFunction letters_function_of(const LettersKind& kind) {
  if (!kind.local) {
    return kind.bytes == 2 ? letters_function<false, affine, false, i16>(kind.scoring)
                           : letters_function<false, affine, false, i32>(kind.scoring);
  }
  if (kind.ends) {
    return kind.bytes == 1   ? letters_function<true, affine, true, i8>(kind.scoring)
           : kind.bytes == 2 ? letters_function<true, affine, true, i16>(kind.scoring)
                             : letters_function<true, affine, true, i32>(kind.scoring);
  }
  return kind.bytes == 1   ? letters_function<true, affine, false, i8>(kind.scoring)
         : kind.bytes == 2 ? letters_function<true, affine, false, i16>(kind.scoring)
                           : letters_function<true, affine, false, i32>(kind.scoring);
}

}  // namespace

LettersFunction letters_function(const LettersKind& kind) {
  return kind.affine ? letters_function_of<true>(kind) : letters_function_of<false>(kind);
}

}  // namespace terrace::pairs::TERRACE_ISA
