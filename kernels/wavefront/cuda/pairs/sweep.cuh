// Sweeps of local alignments in 16 bits, two cells to a word: bands of rows, in registers, a piece of 32 columns at a
// time. No host library header: also compiled at run time.
//
// A warp walks over a band of 64 x R rows from left to right, a column a step. Lane l holds 2 R rows: R words, with
// the upper R rows in their low halves and the lower R rows in the high ones. Each half is a lane of its own, a
// column behind the half above it, from which it takes H and F: by shuffle, or from the other half of the word.
// Values are distances from a base that follows them (pair_range.hpp has the proof that nothing is lost); what enters
// and leaves the band are whole scores.
//
// Most pieces are swept by a loop that knows nothing of edges. One that can have the best cell known so far keeps
// each row's largest one; its column is looked for at the band's end: the state at the beginning of that piece is
// kept, and the piece is swept again. Where work may be left out, a warp skips pieces that cannot reach the best cell
// known (pruning.hpp).
#pragma once

#include "kernels/values/pair.cuh"
#include "kernels/wavefront/cuda/bands/row_intake.cuh"
#include "kernels/wavefront/cuda/bands/table_piece.cuh"
#include "kernels/wavefront/pruning.hpp"
#include "kernels/wavefront/rules/pair_range.hpp"

namespace terrace::wavefront {

/// What a warp keeps in shared memory.
template <int planes, int R>
struct PairMemory {
  static constexpr int ring = 4 * piece, state_words = planes * (R + 1);

  KernelBand band;
  // Of column x at x % ring, and of the first piece of the ring behind its end again, so that no lane's piece wraps:
  // what picks the scores of rows (keep_selector), and above it the column's letter.
  alignas(16) u32 selectors[ring + piece + 4];
  alignas(8) u32 bottom[piece];  // H and F below the band in the columns that its lowest row passes in a piece
  // This piece and the one that may hold the cell to report, in turn:
  alignas(16) u32 top[2][piece + 4];  // H and F above the first lane's columns
  u32 state[2][state_words][32];      // of every lane at the beginning
  i32 base[2];
  device::u8 letters[64 * R];  // of the band's rows

  /// Before the first band.
  __device__ void begin() {
    for (int at = lane_index(); at < ring + piece + 4; at += 32) selectors[at] = 0;
  }
};

/// One band on its way through a warp. All members are called by all lanes.
/// @tparam R words of a lane
template <class P, int R>
class PairSweep {
 public:
  using WideConstants = typename P::template Constants<i64>;
  static constexpr int planes = P::row_planes;
  static constexpr int band_rows = 64 * R;
  static_assert(P::column_planes == planes && can_prune<P>);
  using Problem = P;
  using Value = Word;
  static constexpr int threads = sweep_threads, sweepers = threads / 32, blocks = 2;
  static constexpr bool cuts_to_window = false;
  using Memory = PairMemory<planes, R>;

  __device__ PairSweep(const SweepArguments& arguments, const WideConstants& constants, Memory& memory)
      : a_(arguments),
        k_(P::template constants_as<Word>(constants)),
        band_(memory.band),
        memory_(memory),
        lane_(lane_index()),
        width_(memory.band.width),
        rows_(memory.band.rows),
        borders_(arguments, memory.band) {
    const PairCosts costs = pair_costs<P, i64>(constants);
    range_ = pair_range(costs, band_rows);
    first_ = static_cast<i32>(costs.first);
    gain_ = static_cast<i32>(costs.gain);
    floor_ = both(first_);
    less_first_ = 0u - floor_;
    less_next_ = both(static_cast<i32>(-costs.next));
    mismatch_ = both(static_cast<i32>(i64(constants.mismatch)) + first_);
    base_ = -first_;
  }

  /// Sweeps the band and writes its borders; false when the launch is over before that.
  __device__ bool run(Candidate& found) {
    const i32 pieces = (width_ + 2 * piece - 2) / piece + 1;  // the last half ends 63 columns later than the first
    load_rows();
    load_left();
    rows_matter_ = band_.rows < band_rows && (band_.rows == 0 || band_.task.bottom);
    intake_.begin(a_, band_, width_);
    clear_selectors_before();
    ask(0);
    for (i32 p = 0; p < pieces; ++p) {
      if (!sweep_piece(p)) return false;
      hand_down(p);
      device::random_delay(a_.launch, band_.ticket + static_cast<u32>(p));
    }
    if (a_.border_columns == 0) store_right(0, ~0u);
    found = report();
    if (lane_ == 0) leave_out_pieces(a_, band_, skipped_, piece);
    return true;
  }

 private:
  /// Steps before a piece's end at which the next one is asked for.
  static constexpr int steps_ahead = 8;

  /// The bytes of a row: the score with each of the four letters, and the cost of a gap's first letter, which H is
  /// kept without. Rows below the band's last score 0, so that none of their cells is larger than one above it that
  /// came before.
  __device__ u32 scores_of(i32 row) const {
    u32 bytes = 0;
    const Word letter = Word(row < rows_ ? memory_.letters[row] : 0);
#pragma unroll
    for (int column = 0; column < 4; ++column) {
      const i32 score = row < rows_ ? P::template score<Word>(k_, letter, Word(column)).value : 0;
      bytes |= static_cast<u32>((score + first_) & 255) << (8 * column);
    }
    return bytes;
  }
  __device__ void load_rows() {
    for (i32 row = lane_; row < rows_; row += 32)
      memory_.letters[row] = letter_at(band_.task.rows, band_.first_row + row);
    __syncwarp();
    bool odd = false;
    for (i32 row = lane_; row < rows_; row += 32) odd = odd || memory_.letters[row] >= 4;
    has_odd_rows_ = __any_sync(~0u, odd);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      upper_[r] = scores_of(row_of(r));
      lower_[r] = scores_of(row_of(R + r));
    }
  }
  __device__ static device::u8 letter_at(const void* letters, i64 index) {
    return device::load_past_l1(static_cast<const device::u8*>(letters) + index);
  }
  /// The lane's row r, 0 <= r < 2 R, in the band.
  __device__ __forceinline__ i32 row_of(int r) const { return lane_ * 2 * R + r; }

  /// H and E of the column before the block, and H before the row above each half's first.
  __device__ void load_left() {
    i32 most = 0;
    if (band_.task.left) {
      for (i32 r = -1; r < 2 * R; ++r) most = maximum(most, left_h(row_of(r)));
    }
    most = __reduce_max_sync(~0u, most);
    if (most > range_.most + base_) base_ = most - middle();
    diagonal_ = halves(kept_h(left_h(row_of(-1))), kept_h(left_h(row_of(R - 1))));
#pragma unroll
    for (int r = 0; r < R; ++r) {
      h_[r] = halves(kept_h(left_h(row_of(r))), kept_h(left_h(row_of(R + r))));
      if constexpr (planes == 2) e_[r] = halves(kept_gap(left_gap(row_of(r))), kept_gap(left_gap(row_of(R + r))));
    }
  }
  __device__ i32 left_h(i32 row) const {
    if (row >= rows_) return 0;
    return borders_.left_h(k_, band_.first_row + row, 0).value;
  }
  __device__ i32 left_gap(i32 row) const {
    return row < rows_ ? borders_.left_gap(k_, band_.first_row + row).value : 0;
  }

  /// H is kept without the cost of a gap's first letter.
  __device__ __forceinline__ i32 kept_h(i32 h) const { return maximum(h - base_ - first_, 0); }
  __device__ __forceinline__ i32 kept_gap(i32 gap) const { return maximum(gap - base_, 0); }
  __device__ __forceinline__ i32 true_h(i32 half) const { return half + base_ + first_; }
  __device__ __forceinline__ i32 true_gap(i32 half) const { return maximum(half + base_, 0); }
  __device__ __forceinline__ i32 middle() const { return static_cast<i32>((range_.least + range_.most) / 2); }

  /// Asks for what lies above the columns of piece p, and their letters, a column a lane.
  __device__ __forceinline__ void ask(i32 p) {
    const i32 column = p * piece + lane_;
    next_known_ = static_cast<i32>(load_relaxed(&a_.slots->known));
    if (column > 0 && column <= width_) next_before_ = letter_at(band_.task.columns, column - 1);
    if (column >= width_) return;
    next_letter_ = letter_at(band_.task.columns, column);
    intake_.ask(a_, band_, k_, column);
  }

  /// Whether halves that have not begun may be swept like the others, over columns that add no score: all that they
  /// know is 0, and stays so.
  __device__ __forceinline__ bool may_idle() const { return band_.task.left == nullptr; }
  /// Whether halves that have ended may: nobody needs what they hold, and they find no cell that has not its like in
  /// a row above, or before it.
  __device__ __forceinline__ bool may_run_out() const { return band_.task.right == nullptr || a_.border_columns > 0; }

  __device__ __forceinline__ bool sweep_piece(i32 p) {
    const i32 column = p * piece + lane_;
    const bool takes = p * piece < width_;
    if (takes && !intake_.wait(a_, band_, column)) return false;
    known_ = maximum(known_, __shfl_sync(~0u, next_known_, 0));  // lanes may have read different values
    const i32 most = largest_entering(column);
    __syncwarp();
    const bool odd = __any_sync(~0u, column < width_ && next_letter_ >= 4);
    odd_letters_ = (odd_letters_ << 1 | (odd ? 1u : 0u)) & 7u;
    keep_selector(column, next_letter_, next_before_);
    kept_column_ = borders_.kept_column((p - 2) * piece, (p + 1) * piece);
    if (a_.prunes && p >= 2 && kept_column_ < 0 && !reaches(p, most)) {
      skip_piece(p);
      return true;
    }
    follow_values(most);
    memory_.top[kept_][lane_] = column < width_ ? word_above() : 0;
    const bool follows = most >= known_ - piece * gain_;
    if (follows) save_state();
    __syncwarp();
    const bool has_edge = (p < 2 && !may_idle()) || ((p + 1) * piece > width_ && !may_run_out());
    if ((odd_letters_ != 0 && has_odd_rows_) || rows_matter_) careful_steps(p);
    else if (odd_letters_ != 0 || has_edge || kept_column_ >= 0) fast_steps<true, true>(p);
    else if (follows) fast_steps<true, false>(p);
    else fast_steps<false, false>(p);
    __syncwarp();
    if (follows) look_for_candidate(p);
    return true;
  }

  /// The largest H that enters the piece. E and F are never larger than the H that they come from.
  __device__ __forceinline__ i32 largest_entering(i32 column) const {
    u32 most = diagonal_;
#pragma unroll
    for (int r = 0; r + 1 < R; r += 2) most = largest(most, h_[r], h_[r + 1]);
    const i32 above = column < width_ ? intake_.top(0).value : 0;
    return __reduce_max_sync(~0u, maximum(above, true_h(maximum(low_half(most), high_half(most)))));
  }
  /// Whether what enters piece p may become the best cell: the part of the table that the piece stands for begins in
  /// the band's first row, in the column where the last half is.
  __device__ __forceinline__ bool reaches(i32 p, i32 most) const {
    const i64 row = band_.task.row_begin + band_.first_row;
    const i64 column = band_.task.column_begin + p * piece - 63;
    return reach(most, gain_, row, a_.rows, column, a_.columns) >= known_;
  }
  /// Leaves the lanes, and what the last one hands on, as piece p would with zeros for values.
  __device__ __forceinline__ void skip_piece(i32 p) {
    ask(p + 1);
    ++skipped_;
    base_ = -first_;
    diagonal_ = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) h_[r] = e_[r] = 0;
    hand_on(0);
    memory_.bottom[lane_] = 0;
    __syncwarp();
  }

  /// Chooses another base where the largest value has left the range.
  __device__ __forceinline__ void follow_values(i32 most) {
    const i32 distance = most - base_;
    if (distance <= range_.most && (distance >= range_.least || base_ == -first_)) return;
    const i32 base = maximum(most - middle(), -first_);
    const u32 change = both(static_cast<i32>(maximum(i64{-32767}, i64{base_} - base)));
    base_ = base;
    diagonal_ = add_larger(diagonal_, change, 0);
    bottom_f_ = add_larger(bottom_f_, change, 0);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      h_[r] = add_larger(h_[r], change, 0);
      if constexpr (planes == 2) e_[r] = add_larger(e_[r], change, 0);
    }
    hand_on(bottom_f_);
  }

  /// H and F above the lane's column, as they are handed from lane to lane.
  __device__ __forceinline__ u32 word_above() const {
    const i32 h = kept_h(intake_.top(0).value);
    if constexpr (planes == 2) return halves(h, kept_gap(intake_.top(1).value));
    else return halves(0, h);
  }
  /// Puts where lanes find it what picks the scores with a column's letter (low half) and the one before (high half)
  /// from the bytes of two rows. Outside the block both bytes of a half are the sign of a row's: a number that is not
  /// above 0, and so, less the cost of a gap's first letter, a score that is not either.
  __device__ __forceinline__ void keep_selector(i32 column, u32 letter, u32 before) {
    const bool here = is_column(column);
    const u32 low = here ? (letter & 3) * 0x11u + 0x80u : 0x88u;
    const u32 high = is_column(column - 1) ? (before & 3) * 0x1100u + 0xC400u : 0xCC00u;
    const u32 selector = low | high | (here ? letter << 16 : 0);
    const int at = column & (Memory::ring - 1);
    memory_.selectors[at] = selector;
    if (at < piece) memory_.selectors[Memory::ring + at] = selector;
  }
  __device__ __forceinline__ void clear_selectors_before() {
    keep_selector(lane_ - 2 * piece, 0, 0);
    keep_selector(lane_ - piece, 0, 0);
    __syncwarp();
  }

  /// Piece p. @tparam follows row maxima are kept @tparam edges columns may be outside the block for some halves,
  /// have
  ///   letters beside the four, which none of the band's rows has, or be kept
  template <bool follows, bool edges>
  __device__ __forceinline__ void fast_steps(i32 p) {
    const uint2* selectors =
        reinterpret_cast<const uint2*>(memory_.selectors + ((p * piece - 2 * lane_) & (Memory::ring - 1)));
    const uint2* tops = reinterpret_cast<const uint2*>(memory_.top[kept_]);
    uint2 selector = selectors[0], top = tops[0];
    if constexpr (follows) clear_maxima();
    constexpr int unrolled = edges ? 1 : 2;
    const i32 column = p * piece - 2 * lane_;
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
          below.x = handed_;
          if constexpr (edges) keep_column(column + 2 * (at + i));
          fast_step<follows, edges>(here.y, above.y, column + 2 * (at + i) + 1);
          below.y = handed_;
          if constexpr (edges) keep_column(column + 2 * (at + i) + 1);
          if (lane_ == 31) reinterpret_cast<uint2*>(memory_.bottom)[at + i] = below;
        }
      }
      if (end < piece / 2) ask(p + 1);
    }
  }

  /// H and F above the halves' columns. @param above those of the first lane's
  __device__ __forceinline__ void take_from_above(u32 above, u32& up, u32& f) const {
    u32 handed = __shfl_up_sync(~0u, handed_, 1);
    if (lane_ == 0) handed = above;
    if constexpr (planes == 2) {
      up = lows(handed, h_[R - 1]);
      f = high_and_low(handed, bottom_f_);
    } else {
      up = high_and_low(handed, h_[R - 1]);
    }
  }
  /// What the next lane takes from this one's lower half, in its high half, H alone, or H and F.
  __device__ __forceinline__ void hand_on(u32 f) {
    bottom_f_ = f;
    handed_ = planes == 2 ? highs(h_[R - 1], f) : h_[R - 1];
  }

  /// One column of the halves' rows; halves that are outside the block stay. @param column of the upper halves
  template <bool follows, bool edges>
  __device__ __forceinline__ void fast_step(u32 selector, u32 above, i32 column) {
    const u32 inside = edges ? mask_of(is_column(column), is_column(column - 1)) : ~0u;
    const u32 odd = edges ? odd_columns(selector, column) : 0;
    u32 up, f = 0;
    take_from_above(above, up, f);
    u32 diagonal = diagonal_;
    diagonal_ = edges ? choose(inside, up, diagonal_) : up;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const u32 h = h_[r], e = e_[r];
      u32 scores = device::pick_bytes(upper_[r], lower_[r], selector);
      if constexpr (edges) scores = choose(odd, mismatch_, scores);
      cell(r, scores, diagonal, up, f);
      diagonal = h;
      if constexpr (follows) most_[r] = larger(most_[r], edges ? up & inside : up);
      if constexpr (edges) {
        h_[r] = choose(inside, up, h);
        e_[r] = choose(inside, e_[r], e);
      }
    }
    hand_on(f);
  }

  /// Which halves' columns have a letter beside the four. @param selector of the upper half's column
  __device__ __forceinline__ u32 odd_columns(u32 selector, i32 column) const {
    const u32 before = memory_.selectors[(column - 1) & (Memory::ring - 1)];
    return mask_of(selector >> 16 >= 4, before >> 16 >= 4);
  }

  /// Word r of a column. @param scores with the cost of a gap's first letter added
  __device__ __forceinline__ void cell(int r, u32 scores, u32 diagonal, u32& up, u32& f) {
    if constexpr (planes == 2) {
      h_[r] = subtract_both(largest(add_larger(diagonal, scores, e_[r]), f, floor_), less_first_);
      e_[r] = add_larger(e_[r], less_next_, h_[r]);
      f = add_larger(f, less_next_, h_[r]);
    } else {
      h_[r] = subtract_both(largest(add_larger(diagonal, scores, floor_), h_[r], up), less_first_);
    }
    up = h_[r];
  }

  /// Piece p, where also rows may be outside the band, and rows and columns have other letters.
  /// @tparam replay to find the column of the cell to report
  template <bool replay = false>
  __device__ __forceinline__ void careful_steps(i32 p) {
    if constexpr (!replay) ask(p + 1);
    clear_maxima();
#pragma unroll 1
    for (int at = 0; at < piece; ++at) {
      const i32 column = p * piece + at - 2 * lane_;  // of the upper half
      careful_step(column, memory_.top[kept_][at]);
      if constexpr (replay) {
        look_for_report(column);
      } else {
        if (lane_ == 31) memory_.bottom[at] = handed_;
        keep_column(column);
      }
    }
  }
  __device__ __forceinline__ bool is_column(i32 column) const {
    return static_cast<u32>(column) < static_cast<u32>(width_);
  }
  /// One column of the halves that are in the block; the others stay. Rows below the band's last hand on what is
  /// above them.
  __device__ __forceinline__ void careful_step(i32 column, u32 above) {
    const u32 inside = mask_of(is_column(column), is_column(column - 1));
    const u32 here = memory_.selectors[column & (Memory::ring - 1)];
    u32 up, f = 0;
    take_from_above(above, up, f);
    u32 diagonal = diagonal_;
    diagonal_ = choose(inside, up, diagonal_);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const u32 h = h_[r], e = e_[r], up_before = up, f_before = f;
      u32 scores = device::pick_bytes(upper_[r], lower_[r], here);
      if (odd_letters_ != 0) scores = odd_scores(r, here, column, scores);
      cell(r, scores, diagonal, up, f);
      const u32 rows = mask_of(row_of(r) < rows_, row_of(R + r) < rows_);
      up = choose(rows, up, up_before);
      f = choose(rows, f, f_before);
      most_[r] = larger(most_[r], up & inside & rows);
      h_[r] = choose(inside, up, h);
      e_[r] = choose(inside, e_[r], e);
      diagonal = h;
    }
    hand_on(f);
  }
  /// Scores of word r where a column has a letter that is not below 4, with the rows' letters themselves.
  __device__ __forceinline__ u32 odd_scores(int r, u32 selector, i32 column, u32 scores) const {
    const u32 before = memory_.selectors[(column - 1) & (Memory::ring - 1)];
    const auto score = [&](i32 row, u32 column) {
      if (row >= rows_) return first_;
      return first_ + P::template score<Word>(k_, Word(memory_.letters[row]), Word(column)).value;
    };
    return choose(odd_columns(selector, column),
                  halves(score(row_of(r), selector >> 16), score(row_of(R + r), before >> 16)), scores);
  }

  /// Hands what the lowest row has passed in piece p to the band below, and to the block's border.
  __device__ __forceinline__ void hand_down(i32 p) {
    const i32 column = (p - 2) * piece + 1 + lane_;
    if (!is_column(column)) return;
    const u32 word = memory_.bottom[lane_];
    Word values[planes];
    values[0] = Word::of(true_h(planes == 2 ? low_half(word) : high_half(word)));
    if constexpr (planes == 2) values[1] = Word::of(true_gap(high_half(word)));
    intake_.hand_down(true, column, values);
    if (band_.task.bottom) borders_.store_bottom(column, values);
  }

  /// Stores the halves whose column is the kept one. @param column of the upper half, just swept
  __device__ __forceinline__ void keep_column(i32 column) const {
    if (kept_column_ < 0 || (column != kept_column_ && column - 1 != kept_column_)) return;
    store_right((band_.start + kept_column_ + 1) / a_.border_columns - 1,
                mask_of(column == kept_column_, column - 1 == kept_column_));
  }
  /// The column just swept, as border `border` of those that the block writes. @param which of the halves
  __device__ __forceinline__ void store_right(i64 border, u32 which) const {
    if (!band_.task.right) return;
    if (lane_ == 0 && (which & 1u)) borders_.store_corner(border, Word::of(true_h(low_half(diagonal_))));
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
      if (!(which >> (16 * half) & 1u)) continue;
      const i32 first = row_of(half * R);
      borders_.with_right(border, first, [&]<class T>(T* h, T* gaps) {
#pragma unroll
        for (int r = 0; r < R; ++r) {
          if (first + r < rows_) {
            h[r] = static_cast<T>(true_h(half_of(h_[r], half)));
            if constexpr (planes == 2) gaps[r] = static_cast<T>(true_gap(half_of(e_[r], half)));
          }
        }
      });
    }
  }
  __device__ __forceinline__ static i32 half_of(u32 pair, int half) { return low_half(pair >> (16 * half)); }

  /// What a lane knows at the beginning of a piece, in shared memory and back.
  template <class Move>
  __device__ __forceinline__ void for_state(Move&& move) {
    u32(&kept)[Memory::state_words][32] = memory_.state[kept_];
    int word = 0;
    move(kept[word++][lane_], diagonal_);
#pragma unroll
    for (int r = 0; r < R; ++r) move(kept[word++][lane_], h_[r]);
    if constexpr (planes == 2) {
      move(kept[word++][lane_], bottom_f_);
#pragma unroll
      for (int r = 0; r < R; ++r) move(kept[word++][lane_], e_[r]);
    }
  }
  __device__ __forceinline__ void save_state() {
    for_state([](u32& kept, const u32& value) { kept = value; });
    if (lane_ == 0) memory_.base[kept_] = base_;
  }
  __device__ void restore_state() {
    for_state([](const u32& kept, u32& value) { value = kept; });
    base_ = memory_.base[kept_];
    hand_on(bottom_f_);
  }

  __device__ __forceinline__ void clear_maxima() {
#pragma unroll
    for (int r = 0; r < R; ++r) most_[r] = 0;
  }
  /// The piece just swept has the cell to report if its largest one is larger than what was found so far, or as large
  /// and in a row before that; in the same row it is in a later column.
  __device__ __forceinline__ void look_for_candidate(i32 p) {
    u32 all = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (rows_ < band_rows) most_[r] &= mask_of(row_of(r) < rows_, row_of(R + r) < rows_);
      all = larger(all, most_[r]);
    }
    const i32 here = maximum(low_half(all), high_half(all)), most = __reduce_max_sync(~0u, here);
    // Above another base than the lowest, a cell that is as low as can be kept is not the best.
    if (most == 0 || true_h(most) < reported_) return;
    i32 row = band_rows;
#pragma unroll
    for (int r = 2 * R - 1; r >= 0; --r) {
      if ((r < R ? low_half(most_[r]) : high_half(most_[r - R])) == most) row = row_of(r);
    }
    row = -__reduce_max_sync(~0u, -row);
    if (true_h(most) == reported_ && row >= reported_row_) return;
    reported_ = true_h(most);
    reported_row_ = row;
    candidate_ = p;
    kept_ ^= 1;
    if (lane_ == 0 && reported_ > known_) atomicMax(&a_.slots->known, static_cast<u64>(reported_));
    known_ = maximum(known_, reported_);
  }

  /// The band's best cell, unless the launch has a larger one.
  __device__ Candidate report() {
    const u64 known = __shfl_sync(~0u, load_relaxed(&a_.slots->known), 0);
    if (candidate_ < 0 || static_cast<u64>(reported_) < known) return {0, 0, 0, false};
    kept_ ^= 1;
    __syncwarp();
    for (i32 q = candidate_ - 2; q <= candidate_; ++q) {
      const i32 column = q * piece + lane_;
      const auto letter = [&](i32 x) { return is_column(x) ? letter_at(band_.task.columns, x) : 0u; };
      keep_selector(column, letter(column), letter(column - 1));
    }
    odd_letters_ = 1;
    restore_state();
    __syncwarp();
    careful_steps<true>(candidate_);
    return {reported_, band_.first_row + reported_row_, __reduce_max_sync(~0u, found_), true};
  }
  /// Whether the row to report has that cell in the column just swept.
  __device__ __forceinline__ void look_for_report(i32 column) {
    const i32 r = reported_row_ - row_of(0), wanted = reported_ - base_ - first_;
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) {
      const i32 here = i < R ? column : column - 1;
      if (i != r || found_ >= 0 || !is_column(here)) continue;
      if ((i < R ? low_half(h_[i]) : high_half(h_[i - R])) == wanted) found_ = here;
    }
  }

  const SweepArguments& a_;
  const typename P::template Constants<Word> k_;
  const KernelBand& band_;
  Memory& memory_;
  const int lane_;
  const i32 width_, rows_;  // columns of the block, rows of the band
  const BandBorders<P, Word> borders_;
  RowIntake<P, Word> intake_;
  PairRange range_;                        // of the largest value entering a piece, from the base
  i32 first_, gain_;                       // cost of a gap's first letter, most that a column adds
  u32 floor_, mismatch_;                   // first_ twice; the score of different letters, with first_, twice
  u32 less_first_, less_next_;             // for subtract_both(); minus the cost of a further letter, twice
  u32 upper_[R], lower_[R];                // scores of the rows in low and in high halves with the four letters
  u32 h_[R], e_[R]{};                      // H of the last column, without first_, and E of the next
  u32 diagonal_ = 0;                       // H of the last column above its first row
  u32 bottom_f_ = 0, handed_ = 0;          // F below the last row; what the next lane takes
  u32 most_[R];                            // of the piece's rows
  i32 base_;                               // what all values are distances from
  u32 next_letter_ = 0, next_before_ = 0;  // of the columns asked for, and of those before them
  i32 next_known_ = 0, known_ = 0;         // largest cell of the launch that is known of
  u32 odd_letters_ = 0;                    // bit i: the i-th last piece has a column whose letter is not below 4
  i32 kept_column_ = -1;       // the column that halves pass in this piece whose border is kept inside the block
  bool has_odd_rows_ = false;  // some of the rows have a letter beside the four
  bool rows_matter_ = false;   // there are rows below the band's last, and what becomes of them does harm
  i32 skipped_ = 0;            // pieces that were left out
  i32 reported_ = 0, reported_row_ = 0;  // largest cell of the band so far, and the first row that has one
  i32 candidate_ = -1, found_ = -1;      // the piece that has it; its column
  int kept_ = 0;  // which of the kept states and borders is this piece's; the other one is the candidate's
};

}  // namespace terrace::wavefront
