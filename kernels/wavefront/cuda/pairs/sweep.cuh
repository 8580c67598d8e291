// Sweeps of local alignments in 16 bits, two cells to a word: bands of rows, in registers, a piece of 32 columns at a
// time.
//
// A warp walks over a band of 64 x R rows from left to right, a column a step. Lane l holds 2 R rows: R words, with
// the upper R rows in their low halves and the lower R rows in the high ones. Each half is a lane of its own, a
// column behind the half above it, from which it takes H and F: by shuffle, or from the other half of the word.
// Values are distances from a moving base (pair_range.hpp has the proof that nothing is lost); values that enter and
// leave the band are whole scores.
//
// Most pieces are swept by a loop that ignores edges. A piece that can have the best cell known so far keeps each
// row's largest cell; its column is found at the band's end: the state at the beginning of that piece is kept, and
// the piece is swept again. If work may be left out, a warp skips pieces that cannot reach the best cell known
// (pruning.hpp).
//
// This header decides how each piece is swept, and sweeps it. The parts: data that all of a band share (context.cuh,
// memory.cuh), rows and columns (row_scores.cuh, selectors.cuh), cells (lane_pairs.cuh, values.cuh), and the best
// cell (candidate.cuh).
#pragma once

#include "kernels/values/pair.cuh"
#include "kernels/wavefront/cuda/bands/row_intake.cuh"
#include "kernels/wavefront/cuda/pairs/candidate.cuh"
#include "kernels/wavefront/cuda/pairs/lane_pairs.cuh"
#include "kernels/wavefront/cuda/pairs/row_scores.cuh"
#include "kernels/wavefront/cuda/pairs/selectors.cuh"
#include "kernels/wavefront/cuda/pairs/values.cuh"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

/// One band on its way through a warp. All members are called by all lanes.
/// @tparam R words of a lane
template <class P, int R>
class PairSweep {
  using Warp = PairContext<P, R>;
  static constexpr int planes = Warp::planes;

 public:
  using WideConstants = typename Warp::WideConstants;
  static constexpr int band_rows = Warp::band_rows;
  using Problem = P;
  using Value = Word;
  static constexpr int threads = sweep_threads, sweepers = threads / 32, blocks = measured::CudaPairs::blocks;
  static constexpr bool cuts_to_window = false;
  using Memory = typename Warp::Memory;

  __device__ PairSweep(const SweepArguments& arguments, const WideConstants& constants, Memory& memory)
      : warp_(arguments, constants, memory),
        values_(pair_costs<P, i64>(constants), i64(constants.mismatch), band_rows),
        base_(values_.lowest_base()) {}

  /// Sweeps the band and writes its borders; false when the launch is over before that.
  __device__ bool run(Candidate& found) {
    // The last half ends 63 columns later than the first.
    const i32 pieces = (warp_.width + 2 * piece - 2) / piece + 1;
    has_odd_rows_ = scores_.load(warp_, values_);
    load_left();
    rows_matter_ = warp_.band.rows < band_rows && (warp_.band.rows == 0 || warp_.band.task.bottom);
    intake_.begin(warp_.arguments, warp_.band, warp_.width);
    clear_selectors_before(warp_);
    ask(0);
    for (i32 p = 0; p < pieces; ++p) {
      if (!sweep_piece(p)) return false;
      hand_down(p);
      device::random_delay(warp_.arguments.launch, warp_.band.ticket + static_cast<u32>(p));
    }
    if (warp_.arguments.border_columns == 0) store_right(0, ~0u);
    found = report();
    if (warp_.lane == 0) leave_out_pieces(warp_.arguments, warp_.band, skipped_, piece);
    return true;
  }

 private:
  /// Steps before a piece's end at which the next one is asked for.
  static constexpr int steps_ahead = measured::CudaPairs::steps_ahead;

  /// H and E of the column before the block, and H before the row above each half's first.
  __device__ void load_left() {
    i32 most = 0;
    if (warp_.band.task.left) {
      for (i32 r = -1; r < 2 * R; ++r) most = maximum(most, left_h(warp_.row_of(r)));
    }
    most = __reduce_max_sync(~0u, most);
    if (most > values_.range.most + base_) base_ = most - values_.middle();
    cells_.diagonal =
        halves(values_.kept_h(left_h(warp_.row_of(-1)), base_), values_.kept_h(left_h(warp_.row_of(R - 1)), base_));
#pragma unroll
    for (int r = 0; r < R; ++r) {
      cells_.h[r] =
          halves(values_.kept_h(left_h(warp_.row_of(r)), base_), values_.kept_h(left_h(warp_.row_of(R + r)), base_));
      if constexpr (planes == 2)
        cells_.e[r] = halves(values_.kept_gap(left_gap(warp_.row_of(r)), base_),
                             values_.kept_gap(left_gap(warp_.row_of(R + r)), base_));
    }
  }
  __device__ i32 left_h(i32 row) const {
    if (row >= warp_.rows) return 0;
    return warp_.borders.left_h(warp_.k, warp_.band.first_row + row, 0).value;
  }
  __device__ i32 left_gap(i32 row) const {
    return row < warp_.rows ? warp_.borders.left_gap(warp_.k, warp_.band.first_row + row).value : 0;
  }

  /// Requests the values above the columns of piece p, and their letters, a column a lane.
  __device__ __forceinline__ void ask(i32 p) {
    const i32 column = p * piece + warp_.lane;
    next_known_ = static_cast<i32>(load_relaxed(&warp_.arguments.slots->known));
    if (column > 0 && column <= warp_.width) next_before_ = letter_at(warp_.band.task.columns, column - 1);
    if (column >= warp_.width) return;
    next_letter_ = letter_at(warp_.band.task.columns, column);
    intake_.ask(warp_.arguments, warp_.band, warp_.k, column);
  }

  /// True if halves that have not begun may be swept like the others, over columns that add no score: all of their
  /// values are 0 and stay 0.
  __device__ __forceinline__ bool may_idle() const { return warp_.band.task.left == nullptr; }
  /// True if halves that have ended may be swept, too: nobody needs their values, and they find no cell without an
  /// equal one in a row above, or before it.
  __device__ __forceinline__ bool may_run_out() const {
    return warp_.band.task.right == nullptr || warp_.arguments.border_columns > 0;
  }

  __device__ __forceinline__ bool sweep_piece(i32 p) {
    const i32 column = p * piece + warp_.lane;
    const bool takes = p * piece < warp_.width;
    if (takes && !intake_.wait(warp_.arguments, warp_.band, column)) return false;
    known_ = maximum(known_, __shfl_sync(~0u, next_known_, 0));  // lanes may have read different values
    const i32 most = largest_entering(column);
    __syncwarp();
    const bool odd = __any_sync(~0u, column < warp_.width && next_letter_ >= 4);
    odd_letters_ = (odd_letters_ << 1 | (odd ? 1u : 0u)) & 7u;
    keep_selector(warp_, column, next_letter_, next_before_);
    kept_column_ = warp_.borders.kept_column((p - 2) * piece, (p + 1) * piece);
    if (warp_.arguments.prunes && p >= 2 && kept_column_ < 0 && !reaches(p, most)) {
      skip_piece(p);
      return true;
    }
    follow_values(most);
    warp_.memory.top[candidate_.copy()][warp_.lane] = column < warp_.width ? word_above() : 0;
    const bool follows = most >= known_ - piece * values_.gain;
    if (follows) save_state();
    __syncwarp();
    const bool has_edge = (p < 2 && !may_idle()) || ((p + 1) * piece > warp_.width && !may_run_out());
    if ((odd_letters_ != 0 && has_odd_rows_) || rows_matter_) careful_steps(p);
    else if (odd_letters_ != 0 || has_edge || kept_column_ >= 0) fast_steps<true, true>(p);
    else if (follows) fast_steps<true, false>(p);
    else fast_steps<false, false>(p);
    __syncwarp();
    if (follows) candidate_.look(warp_, values_, p, base_, most_, known_);
    return true;
  }

  /// The largest H that enters the piece. E and F are never larger than the H that they come from.
  __device__ __forceinline__ i32 largest_entering(i32 column) const {
    const u32 most = cells_.largest_h();
    const i32 above = column < warp_.width ? intake_.top(0).value : 0;
    return __reduce_max_sync(~0u, maximum(above, values_.true_h(maximum(low_half(most), high_half(most)), base_)));
  }
  /// True if values that enter piece p may lead to the best cell: the part of the table that the piece represents
  /// begins in the band's first row, in the column of the last half.
  __device__ __forceinline__ bool reaches(i32 p, i32 most) const {
    const i64 row = warp_.band.task.row_begin + warp_.band.first_row;
    const i64 column = warp_.band.task.column_begin + p * piece - 63;
    return reach(most, values_.gain, row, warp_.arguments.rows, column, warp_.arguments.columns) >= known_;
  }
  /// Leaves the lanes, and the output of the last lane, as piece p would if all values were zero.
  __device__ __forceinline__ void skip_piece(i32 p) {
    ask(p + 1);
    ++skipped_;
    base_ = values_.lowest_base();
    cells_.clear();
    warp_.memory.bottom[warp_.lane] = 0;
    __syncwarp();
  }

  /// Chooses another base if the largest value has left the range.
  __device__ __forceinline__ void follow_values(i32 most) {
    const i32 distance = most - base_;
    if (distance <= values_.range.most && (distance >= values_.range.least || base_ == values_.lowest_base())) return;
    const i32 base = maximum(most - values_.middle(), values_.lowest_base());
    const u32 change = both(static_cast<i32>(maximum(i64{-32767}, i64{base_} - base)));
    base_ = base;
    cells_.add(change);
  }

  /// H and F above the lane's column, as they are handed from lane to lane.
  __device__ __forceinline__ u32 word_above() const {
    const i32 h = values_.kept_h(intake_.top(0).value, base_);
    if constexpr (planes == 2) return halves(h, values_.kept_gap(intake_.top(1).value, base_));
    else return halves(0, h);
  }

  /// Piece p. @tparam follows row maxima are kept @tparam edges columns may be outside the block for some halves,
  ///   have letters other than the four that no row of the band has, or be kept
  template <bool follows, bool edges>
  __device__ __forceinline__ void fast_steps(i32 p) {
    const uint2* selectors =
        reinterpret_cast<const uint2*>(warp_.memory.selectors + ((p * piece - 2 * warp_.lane) & (Memory::ring - 1)));
    const uint2* tops = reinterpret_cast<const uint2*>(warp_.memory.top[candidate_.copy()]);
    uint2 selector = selectors[0], top = tops[0];
    if constexpr (follows) clear_maxima();
    constexpr int unrolled = edges ? 1 : measured::CudaPairs::unrolled;
    const i32 column = p * piece - 2 * warp_.lane;
    int at = 0;
#pragma unroll 1
    for (int end = (piece - steps_ahead) / 2; end <= piece / 2; end += steps_ahead / 2) {
#pragma unroll 1
      for (; at < end; at += unrolled) {
#pragma unroll
        for (int i = 0; i < unrolled; ++i) {
          const uint2 here = selector, above = top;
          selector = selectors[at + i + 1];
          top = tops[at + i + 1];
          uint2 below;
          fast_step<follows, edges>(here.x, above.x, column + 2 * (at + i));
          below.x = cells_.handed;
          if constexpr (edges) keep_column(column + 2 * (at + i));
          fast_step<follows, edges>(here.y, above.y, column + 2 * (at + i) + 1);
          below.y = cells_.handed;
          if constexpr (edges) keep_column(column + 2 * (at + i) + 1);
          if (warp_.lane == 31) reinterpret_cast<uint2*>(warp_.memory.bottom)[at + i] = below;
        }
      }
      if (end < piece / 2) ask(p + 1);
    }
  }

  /// One column of the halves' rows; halves that are outside the block stay. @param column of the upper halves
  template <bool follows, bool edges>
  __device__ __forceinline__ void fast_step(u32 selector, u32 above, i32 column) {
    const u32 inside = edges ? mask_of(warp_.is_column(column), warp_.is_column(column - 1)) : ~0u;
    const u32 odd = edges ? odd_columns(warp_, selector, column) : 0;
    u32 up, f = 0;
    cells_.take_from_above(warp_, above, up, f);
    u32 diagonal = cells_.diagonal;
    cells_.diagonal = edges ? choose(inside, up, cells_.diagonal) : up;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const u32 h = cells_.h[r], e = cells_.e[r];
      u32 scores = scores_.pick(r, selector);
      if constexpr (edges) scores = choose(odd, values_.mismatch, scores);
      cells_.cell(values_, r, scores, diagonal, up, f);
      diagonal = h;
      if constexpr (follows) most_[r] = larger(most_[r], edges ? up & inside : up);
      if constexpr (edges) {
        cells_.h[r] = choose(inside, up, h);
        cells_.e[r] = choose(inside, cells_.e[r], e);
      }
    }
    cells_.hand_on(f);
  }

  /// Piece p, if also rows may be outside the band, and rows and columns have other letters.
  /// @tparam replay to find the column of the cell to report
  template <bool replay = false>
  __device__ __forceinline__ void careful_steps(i32 p) {
    if constexpr (!replay) ask(p + 1);
    clear_maxima();
#pragma unroll 1
    for (int at = 0; at < piece; ++at) {
      const i32 column = p * piece + at - 2 * warp_.lane;  // of the upper half
      careful_step(column, warp_.memory.top[candidate_.copy()][at]);
      if constexpr (replay) {
        candidate_.look_for_report(warp_, values_, cells_, column, base_);
      } else {
        if (warp_.lane == 31) warp_.memory.bottom[at] = cells_.handed;
        keep_column(column);
      }
    }
  }
  /// One column of the halves that are in the block; the others do not change. Rows below the band's last hand on the
  /// values above them.
  __device__ __forceinline__ void careful_step(i32 column, u32 above) {
    const u32 inside = mask_of(warp_.is_column(column), warp_.is_column(column - 1));
    const u32 here = warp_.memory.selectors[column & (Memory::ring - 1)];
    u32 up, f = 0;
    cells_.take_from_above(warp_, above, up, f);
    u32 diagonal = cells_.diagonal;
    cells_.diagonal = choose(inside, up, cells_.diagonal);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const u32 h = cells_.h[r], e = cells_.e[r], up_before = up, f_before = f;
      u32 scores = scores_.pick(r, here);
      if (odd_letters_ != 0) scores = scores_.odd_scores(warp_, values_, r, here, column, scores);
      cells_.cell(values_, r, scores, diagonal, up, f);
      const u32 rows = mask_of(warp_.row_of(r) < warp_.rows, warp_.row_of(R + r) < warp_.rows);
      up = choose(rows, up, up_before);
      f = choose(rows, f, f_before);
      most_[r] = larger(most_[r], up & inside & rows);
      cells_.h[r] = choose(inside, up, h);
      cells_.e[r] = choose(inside, cells_.e[r], e);
      diagonal = h;
    }
    cells_.hand_on(f);
  }

  /// Hands the lowest row's values of piece p to the band below, and to the block's border.
  __device__ __forceinline__ void hand_down(i32 p) {
    const i32 column = (p - 2) * piece + 1 + warp_.lane;
    if (!warp_.is_column(column)) return;
    const u32 word = warp_.memory.bottom[warp_.lane];
    Word values[planes];
    values[0] = Word::of(values_.true_h(planes == 2 ? low_half(word) : high_half(word), base_));
    if constexpr (planes == 2) values[1] = Word::of(values_.true_gap(high_half(word), base_));
    intake_.hand_down(true, column, values);
    if (warp_.band.task.bottom) warp_.borders.store_bottom(column, values);
  }

  /// Stores the halves whose column is the kept one. @param column of the upper half, just swept
  __device__ __forceinline__ void keep_column(i32 column) const {
    if (kept_column_ < 0 || (column != kept_column_ && column - 1 != kept_column_)) return;
    store_right((warp_.band.start + kept_column_ + 1) / warp_.arguments.border_columns - 1,
                mask_of(column == kept_column_, column - 1 == kept_column_));
  }
  /// Stores the column just swept in border `border` of the borders that the block writes. @param which of the halves
  __device__ __forceinline__ void store_right(i64 border, u32 which) const {
    if (!warp_.band.task.right) return;
    if (warp_.lane == 0 && (which & 1u))
      warp_.borders.store_corner(border, Word::of(values_.true_h(low_half(cells_.diagonal), base_)));
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
      if (!(which >> (16 * half) & 1u)) continue;
      const i32 first = warp_.row_of(half * R);
      warp_.borders.with_right(border, first, [&]<class T>(T* h, T* gaps) {
#pragma unroll
        for (int r = 0; r < R; ++r) {
          if (first + r < warp_.rows) {
            h[r] = static_cast<T>(values_.true_h(half_of(cells_.h[r], half), base_));
            if constexpr (planes == 2) gaps[r] = static_cast<T>(values_.true_gap(half_of(cells_.e[r], half), base_));
          }
        }
      });
    }
  }
  __device__ __forceinline__ static i32 half_of(u32 pair, int half) { return low_half(pair >> (16 * half)); }

  /// The lanes' state at the beginning of a piece, to shared memory and back.
  __device__ __forceinline__ void save_state() {
    cells_.save(warp_, candidate_.copy());
    if (warp_.lane == 0) warp_.memory.base[candidate_.copy()] = base_;
  }
  __device__ void restore_state() {
    cells_.restore(warp_, candidate_.copy());
    base_ = warp_.memory.base[candidate_.copy()];
    cells_.hand_on(cells_.bottom_f);
  }

  __device__ __forceinline__ void clear_maxima() {
#pragma unroll
    for (int r = 0; r < R; ++r) most_[r] = 0;
  }

  /// The band's best cell, unless the launch has a larger one.
  __device__ Candidate report() {
    return candidate_.report(warp_, [this](const i32& p) { replay(p); });
  }
  /// Sweeps piece p again, from the state that was kept, for the column of the cell to report.
  __device__ __forceinline__ void replay(const i32& p) {
    __syncwarp();
    for (i32 q = p - 2; q <= p; ++q) {
      const i32 column = q * piece + warp_.lane;
      const auto letter = [&](i32 x) { return warp_.is_column(x) ? letter_at(warp_.band.task.columns, x) : 0u; };
      keep_selector(warp_, column, letter(column), letter(column - 1));
    }
    odd_letters_ = 1;
    restore_state();
    __syncwarp();
    careful_steps<true>(p);
  }

  const Warp warp_;
  RowIntake<P, Word> intake_;
  PairValues values_;
  RowScores<Warp> scores_;
  LanePairs<Warp> cells_;
  u32 most_[R];                            // of the piece's rows
  i32 base_;                               // base of all values
  u32 next_letter_ = 0, next_before_ = 0;  // of the requested columns, and of the columns before them
  i32 next_known_ = 0, known_ = 0;         // largest cell of the launch that is known of
  u32 odd_letters_ = 0;                    // bit i: the i-th last piece has a column whose letter is not below 4
  i32 kept_column_ = -1;       // the column that halves pass in this piece whose border is kept inside the block
  bool has_odd_rows_ = false;  // true if some rows have a letter other than the four
  bool rows_matter_ = false;   // there are rows below the band's last whose values do harm
  i32 skipped_ = 0;            // pieces that were left out
  PairCandidate<Warp> candidate_;
};

}  // namespace terrace::wavefront
