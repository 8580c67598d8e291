// Alignments on CUDA: a few lanes of a warp have the rows of a pair in registers, or of two pairs in the halves of
// words, and hand cells of columns from lane to lane, each a column behind the one before.
//
// Items end at the last row of the last lane. Rows before an item's first one are like the recurrence's own border: H
// and F of the border's columns come out of them. Where items have more rows than the lanes, strips of them follow
// one another, and what one strip hands down is kept in memory.
//
// Kept is H less the cost of a gap's first letter, which is the value of a gap that begins there; scores
// that are added have that cost added, and E and F are kept with it. Then a cell is a sum with a maximum, a maximum
// of three with a floor below which nothing falls, and a subtraction on another pipe.
#pragma once

#include "kernels/pairs/cuda/align_values.cuh"
#include "kernels/pairs/cuda/gap_costs.hpp"
#include "kernels/pairs/cuda/order_kernel.cuh"
#include "kernels/pairs/cuda/profile.cuh"
#include "kernels/pairs/cuda/sizes.hpp"
#include "kernels/wavefront/problem_list.hpp"

namespace terrace::pairs {

inline constexpr u32 align_threads = 128;
/// Codes of rows and columns beyond an item's ends, without a matrix; with one the last of its letters.
inline constexpr i32 row_pad = 0x100, column_pad = 0x200, matrix_pad_letter = table_letters - 1;

/// Scores of a matrix, with the cost of a gap's first letter added.
struct ScoreTable {
  i32 scores[table_letters][table_letters];  // of a letter of columns, then one of rows
  ByteTable bytes;                           // the same, if they are bytes
};

/// A ScoreTable in shared memory: of single values as it is. Of values in halves each lane of a warp has its own in a
/// bank of its own, two scores a word, since lanes look at different columns.
template <class Values>
struct SharedScores {
  static constexpr bool by_lane = Values::pairs == 2;
  static constexpr u32 row_bytes = by_lane ? table_letters / 2 * 128 : table_letters * 4;
  static constexpr u32 bytes = table_letters * row_bytes;
  static_assert(table_letters % 2 == 0);

  /// The place in shared memory of the scores of a column's letter; bytes before those of a row's letter, for a lane.
  __device__ static u32 column_at(u32 scores, u32 letter) { return scores + letter * row_bytes; }
  __device__ static u32 row_at(u32 letter, u32 lane) {
    return by_lane ? letter / 2 * 128 + letter % 2 * 2 + lane * 4 : letter * 4;
  }
  /// A score; of values in halves the lower 16 bits of a word.
  __device__ static u32 score(u32 at) {
    if constexpr (by_lane) return device::load_shared_half(at);
    else return device::load_shared(at);
  }
  /// All threads of a block of `threads` call it.
  __device__ static void bring(const ScoreTable& from, unsigned char* scores, u32 threads) {
    const auto of = [&](u32 n) { return static_cast<u32>((&from.scores[0][0])[n]); };
    for (u32 at = threadIdx.x; at < bytes / 4; at += threads) {
      const u32 word = at / 32;
      reinterpret_cast<u32*>(scores)[at] = by_lane ? (of(2 * word) & 0xFFFFu) | of(2 * word + 1) << 16 : of(at);
    }
    __syncthreads();
  }
};

/// Outputs for scores and ends, and the values kept meanwhile.
struct AlignWork {
  PairsTask task;
  const i32* order;
  void* handed;              // of each warp, what strips hand down, of each column
  i64 handed_stride;         // columns of a warp
  const ScoreTable* scores;  // of a matrix
  i32 wide;                  // not 0: scores are of 64 bits
  i32 bytes;                 // not 0: scores without a matrix are picked from bytes if all letters are below 4
};

/// H and F of a column below a strip.
template <class V>
struct Handed {
  V h, f;
};

/// A cell, its score, and letters consumed.
struct BestCell {
  i32 score, row, column;
};
__device__ inline bool goes_before(const BestCell& a, const BestCell& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

/// The score of rows before an item's first one, of alignments that are not local: a diagonal step leads along a
/// border of zeros, or nowhere.
template <class P, class Values, class K>
TERRACE_HOST_DEVICE constexpr i32 score_before_first(const K& k) {
  if constexpr (P::report == wavefront::Report::best) return 0;
  else return P::template ends<i64>(k).last_row ? 0 : Values::lowest;
}

/// @tparam any_row an alignment may end in any row @tparam G lanes of a pair, a power of 2 @tparam R rows of a lane
/// @tparam bytes scores are bytes (CudaPlan::bytes): of a matrix in profiles; else, if all letters are below 4, those
///   with a column's letters are bytes of a word a pair, of which each row picks one
template <class P, class Values, bool any_row, int G, int R, bool bytes>
class AlignGroup {
  using V = typename Values::V;
  using K = typename P::template Constants<i64>;
  using Scores = SharedScores<Values>;
  static constexpr bool local = P::report == wavefront::Report::best, affine = P::row_planes == 2;
  static constexpr bool by_matrix = wavefront::by_matrix<P>;
  static constexpr bool by_profile = by_matrix && bytes, by_table = by_matrix && !bytes, picks = !by_matrix && bytes;
  static constexpr int pairs = Values::pairs;
  static_assert(!bytes || pairs == 2);
  static_assert(R % 2 == 0);
  /// Gaps of rows begin at cells in which none ends, so that rows wait for one operation each. Their values have the
  /// first letter's cost subtracted before the floor holds them up, so all are raised by at least that.
  static constexpr bool gaps_apart = by_profile && local && affine;
  /// Added to all H: no H of local alignments is below 0; with halves of words others are raised above it.
  static constexpr i32 raise = gaps_apart ? profile_raise : local ? 0 : Values::raise;

 public:
  __device__ __forceinline__ AlignGroup(const AlignWork& work, const K& k, u32 scores, i32 warp)
      : work_(work),
        k_(k),
        scores_(scores),
        lane_(static_cast<int>(threadIdx.x) % G),
        leader_(static_cast<int>(threadIdx.x) % 32 / G * G),
        first_(static_cast<i32>(first_cost(k))),
        less_first_(Values::kept(Values::negated(first_))),
        less_next_(Values::kept(Values::both(-static_cast<i32>(next_cost(k))))),
        floor_(
            Values::kept(Values::both(Values::pairs == 2 || local ? first_ + (local ? raise : 0) : Values::lowest))),
        handed_(static_cast<Handed<V>*>(work.handed) + (warp * (32 / G) + leader_ / G) * work.handed_stride) {}

  /// Aligns the pairs at the group's places, after those of the warp's groups before. All lanes of the warp call it.
  __device__ __forceinline__ void align(i64 first_place) {
    const i64 place = first_place + leader_ / G * pairs;
#pragma unroll
    for (int p = 0; p < pairs; ++p) take(p, place + p);
    find_border();
    const i32 longest = __reduce_max_sync(~0u, most_rows());
    columns_ = __reduce_max_sync(~0u, most_columns());
    strips_ = (longest + G * R - 1) / (G * R);
    for (i32 strip = 0; strip < strips_; ++strip) make_strip(strip);
#pragma unroll
    for (int p = 0; p < pairs; ++p) write(p);
  }

 private:
  struct Item {
    const u8 *row_letters, *column_letters;
    i32 rows, columns;
    i64 number;  // of the pair; -1: there is none
  };

  __device__ __forceinline__ void take(int p, i64 place) {
    Item& item = item_[p];
    item = {nullptr, nullptr, 0, 0, -1};
    if (place >= work_.task.count) return;
    item.number = work_.order[place];
    if (item.number < 0) return;
    const Pair pair = pair_of(work_.task, item.number);
    item.row_letters = static_cast<const u8*>(work_.task.rows) + work_.task.row_begin[pair.row];
    item.column_letters = static_cast<const u8*>(work_.task.columns) + work_.task.column_begin[pair.column];
    item.rows = static_cast<i32>(length_of(work_.task.row_begin, pair.row));
    item.columns = static_cast<i32>(length_of(work_.task.column_begin, pair.column));
  }
  __device__ __forceinline__ i32 most_rows() const {
    return pairs == 1 ? item_[0].rows : values::maximum(item_[0].rows, item_[pairs - 1].rows);
  }
  __device__ __forceinline__ i32 most_columns() const {
    return pairs == 1 ? item_[0].columns : values::maximum(item_[0].columns, item_[pairs - 1].columns);
  }

  __device__ __forceinline__ void find_border() {
    best_value_ = Values::both(local ? raise : 0);
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      best_[p] = {local ? 0 : Values::lowest, 0, 0};
      if constexpr (!local) look_at_border(p);
    }
  }
  /// The cells of the border in which an alignment may end, as wavefront::border_report() has them.
  __device__ __forceinline__ void look_at_border(int p) {
    const i32 rows = item_[p].rows, columns = item_[p].columns;
    const auto may_end = ends(k_);
    const auto look = [&](i32 row, i32 column) {
      const i64 h = row == 0 ? top(column - 1).h : left(row - 1).h;
      const BestCell cell{static_cast<i32>(h), row, column};
      if (goes_before(cell, best_[p])) best_[p] = cell;
    };
    if (rows == 0 || columns == 0) look(rows, columns);
    if (may_end.last_row) look(rows, 0);
    if (may_end.last_column) look(0, columns);
  }

  __device__ __forceinline__ static constexpr wavefront::Ends ends(const K& k) {
    if constexpr (local) return {};
    else return P::template ends<i64>(k);
  }

  /// Row r of this lane, of the item; less than 0: before its first one.
  __device__ __forceinline__ i32 row_of(int p, i32 strip, int r) const {
    return (strip - strips_) * G * R + lane_ * R + r + item_[p].rows;
  }
  __device__ __forceinline__ wavefront::Border<i64> left(i32 row) const {
    // Before the first row: the corner's H, and the gap that begins there. Or these one row before, and above it
    // nothing from where a diagonal step could lead.
    if (bytes && !local && row < -1) return {Values::lowest, Values::lowest};
    if (row < 0) return {0, local ? 0 : -first_};
    return P::template left<i64>(k_, row);
  }
  __device__ __forceinline__ wavefront::Border<i64> top(i32 column) const { return P::template top<i64>(k_, column); }

  /// The state that a lane carries from step to step of a strip.
  struct Step {
    i32 letters, ahead;  // of columns, one a lane: of these G columns, of the next ones
    i32 letter = 0;
    V below_h = Values::both(0), below_f = Values::both(0);
    Handed<V> above{};  // the first lane's next column, of a strip above
  };

  __device__ __forceinline__ void make_strip(i32 strip) {
    load_rows(strip);
    Step now{0, column_letters(lane_)};
    if (strip > 0 && lane_ == 0 && columns_ > 0) now.above = handed_[0];
    const i32 steps = columns_ + G - 1;
    // First and last some lanes have no column.
    const i32 first_whole = values::minimum(G - 1, steps), end_whole = values::maximum(columns_, first_whole);
    i32 step = 0;
#pragma unroll 1
    for (i32 part = 0; part < 2; ++part) {
      const i32 end = part == 0 ? first_whole : steps;
#pragma unroll 1
      for (; step < end; ++step) advance<false>(strip, step, now);
      if (part == 1) break;
#pragma unroll(R > 20 ? 2 : 4)
      for (; step < end_whole; ++step) advance<true>(strip, step, now);
    }
    __syncwarp();
  }

  /// @tparam whole each lane has a column
  template <bool whole>
  __device__ __forceinline__ void advance(i32 strip, i32 step, Step& now) {
    if (step % G == 0) {
      now.letters = now.ahead;
      now.ahead = column_letters(step + G + lane_);
    }
    const i32 fed = __shfl_sync(~0u, now.letters, leader_ + step % G);
    now.letter = __shfl_up_sync(~0u, now.letter, 1);
    V up = __shfl_up_sync(~0u, now.below_h, 1), f = up;
    if constexpr (affine) f = __shfl_up_sync(~0u, now.below_f, 1);
    const i32 column = step - lane_;
    if (lane_ == 0) {
      now.letter = fed;
      if (strip == 0) now.above = border_above(column);
      up = now.above.h;
      f = now.above.f;
      if (strip > 0 && column + 1 < columns_) now.above = handed_[column + 1];
    }
    if (!whole && (column < 0 || column >= columns_)) return;
    make_column(now.letter, up, f);
    now.below_h = h_[R - 1];
    now.below_f = f;
    look(strip, column);
    if (strip + 1 < strips_ && lane_ == G - 1) handed_[column] = {now.below_h, now.below_f};
  }

  /// H and F above the first strip, in a column.
  __device__ __forceinline__ Handed<V> border_above(i32 column) const {
    const auto border = top(column);
    i32 h[pairs], gap[pairs];
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const bool nothing = bytes && !local && item_[p].rows < strips_ * G * R;
      h[p] = nothing ? raise + Values::lowest : kept(border.h);
      gap[p] = nothing ? raise + Values::lowest : kept(border.gap) + first_;
    }
    return {Values::of(h), Values::of(gap)};
  }
  __device__ __forceinline__ static i32 kept(i64 h) { return static_cast<i32>(h) + raise; }

  __device__ __forceinline__ void load_rows(i32 strip) {
    i32 letters[pairs], scores[pairs], h[pairs], gap[pairs];
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int p = 0; p < pairs; ++p) {
        const i32 row = row_of(p, strip, r);
        const auto border = left(row);
        letters[p] = row < 0 ? pad(row_pad) : item_[p].row_letters[row];
        scores[p] = (row < 0 && !local ? before_first() : static_cast<i32>(k_.mismatch)) + first_;
        h[p] = kept(border.h);
        gap[p] = kept(border.gap) + first_;
        if constexpr (by_table) row_at_[p][r] = Scores::row_at(static_cast<u32>(letters[p]), threadIdx.x % 32);
      }
      if constexpr (picks) letters_[r] = selector(letters);
      else if constexpr (!by_matrix) letters_[r] = Values::of(letters);
      if constexpr (!local && !by_matrix && !picks) differ_[r] = Values::of(scores);
      h_[r] = Values::of(h);
      if constexpr (affine) e_[r] = Values::of(gap);
    }
#pragma unroll
    for (int p = 0; p < pairs; ++p) h[p] = kept(left(row_of(p, strip, 0) - 1).h);
    diagonal_ = Values::of(h);
    if constexpr (by_profile) {
#pragma unroll 1
      for (int p = 0; p < pairs; ++p) make_profile(strip, p);
    }
  }
  __device__ __forceinline__ void make_profile(i32 strip, int p) {
    const u8* own = p == 0 ? item_[0].row_letters : item_[pairs - 1].row_letters;
    const i32 first = p == 0 ? row_of(0, strip, 0) : row_of(pairs - 1, strip, 0);
    i32 letters[R];
#pragma unroll
    for (int r = 0; r < R; ++r) letters[r] = first + r < 0 ? matrix_pad_letter : own[first + r];
    profile_.make(p, work_.scores->bytes, letters);
  }
  __device__ __forceinline__ i32 before_first() const { return score_before_first<P, Values>(k_); }
  __device__ __forceinline__ static i32 pad(i32 code) { return by_matrix ? matrix_pad_letter : code; }

  /// The letters of a column, or the numbers that stand for them in a profile: of two pairs in halves.
  __device__ __forceinline__ i32 column_letters(i32 column) const {
    i32 letters = 0;
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      i32 letter = column < item_[p].columns ? item_[p].column_letters[column] : pad(column_pad);
      if constexpr (by_profile) letter = SharedProfile<R>::code_of(letter);
      letters |= letter << 16 * p;
    }
    return letters;
  }

  /// Picks a row's scores from the bytes of both columns, with their signs; before an item's first row a sign alone,
  /// which is not above 0.
  __device__ __forceinline__ static u32 selector(const i32 (&letters)[pairs]) {
    u32 picked = 0;
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const u32 sign = (static_cast<u32>(letters[p]) & 3u) + 4u * p + 8u;
      picked |= (letters[p] < 4 ? sign * 0x11u - 8u : sign * 0x11u) << 8 * p;
    }
    return picked;
  }
  /// The bytes of a column: the score of its letter with each of the four.
  __device__ __forceinline__ u32 column_scores(u32 letter) const {
    const u32 same = static_cast<u32>(k_.match + first_) & 255u,
              other = static_cast<u32>(k_.mismatch + first_) & 255u;
    return other * 0x01010101u ^ (letter < 4 ? (same ^ other) << 8 * letter : 0u);
  }

  /// The score of row r, by the state that find_scores() set for the column's letters.
  __device__ __forceinline__ V score(int r, i32 letter) const {
    if constexpr (picks) {
      return device::pick_bytes(column_scores_[0], column_scores_[1], letters_[r]);
    } else if constexpr (by_profile) {
      return profile_.scores(r);
    } else if constexpr (by_table) {
      const auto entry = [&](int p) { return Scores::score(values::add_bits(column_at_[p], row_at_[p][r])); };
      if constexpr (pairs == 2) return values::join_halves(entry(0), entry(1));
      else return static_cast<V>(entry(0));
    } else {
      V other = Values::both(static_cast<i32>(k_.mismatch) + first_);
      if constexpr (!local) other = differ_[r];
      return Values::where_equal(letters_[r], static_cast<V>(letter),
                                 Values::both(static_cast<i32>(k_.match) + first_), other);
    }
  }
  __device__ __forceinline__ void find_scores(u32 letter) {
    if constexpr (by_profile) profile_.find(letter);
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const u32 own = letter >> 16 * p & 0xFFFFu;
      if constexpr (picks) column_scores_[p] = column_scores(own);
      if constexpr (by_table) column_at_[p] = device::kept_in_register(Scores::column_at(scores_, own));
    }
  }

  __device__ __forceinline__ void make_column(i32 letter, V up, V& f) {
    find_scores(static_cast<u32>(letter));
    V diagonal = diagonal_;
    diagonal_ = up;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const V s = score(r, letter), left = h_[r];
      V h;
      if constexpr (gaps_apart) {
        const V ungapped = Values::sum_or(diagonal, s, e_[r]);
        h = Values::less(Values::largest(ungapped, f, floor_), less_first_);
        e_[r] = Values::sum_or(e_[r], less_next_, h);
        f = Values::sum_or(f, less_next_, Values::less(ungapped, less_first_));
        diagonal = left;
        up = h_[r] = h;
        continue;
      }
      if constexpr (affine) h = Values::largest(Values::sum_or(diagonal, s, e_[r]), f, floor_);
      else h = Values::largest(Values::sum_or(diagonal, s, floor_), left, up);
      h = Values::less(h, less_first_);
      if constexpr (affine) {
        e_[r] = Values::sum_or(e_[r], less_next_, h);
        f = Values::sum_or(f, less_next_, h);
      }
      diagonal = left;
      up = h_[r] = h;
    }
    if constexpr (local && !any_row) {
#pragma unroll
      for (int r = 0; r < R; r += 2) best_value_ = Values::largest(best_value_, h_[r], h_[r + 1]);
    }
  }

  /// Looks at the cells of a column that may be reported.
  __device__ __forceinline__ void look(i32 strip, i32 column) {
    if constexpr (local) {
      if constexpr (any_row) {
        if (column < item_[0].columns) look_at_all(0, strip, column);
      }
      return;
    }
    const auto may_end = ends(k_);
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      if (column >= item_[p].columns) continue;
      const bool is_last = column == item_[p].columns - 1;
      if constexpr (any_row) {
        if (is_last && may_end.last_column) look_at_all(p, strip, column);
      }
      if (lane_ == G - 1 && strip == strips_ - 1 && (is_last || may_end.last_row)) {
        look_at(p, Values::part(h_[R - 1], p) - raise, item_[p].rows - 1, column);
      }
    }
  }
  __device__ __forceinline__ void look_at_all(int p, i32 strip, i32 column) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const i32 row = row_of(p, strip, r);
      if (row >= 0) look_at(p, Values::part(h_[r], p) - raise, row, column);
    }
  }
  __device__ __forceinline__ void look_at(int p, i32 score, i32 row, i32 column) {
    const BestCell cell{score, row + 1, column + 1};
    if (goes_before(cell, best_[p])) best_[p] = cell;
  }

  __device__ __forceinline__ void write(int p) {
    BestCell best = best_[p];
    if constexpr (local && !any_row) best = {Values::part(best_value_, p) - raise, 0, 0};
    for (int distance = 1; distance < G; distance *= 2) {
      const BestCell other{__shfl_xor_sync(~0u, best.score, distance), __shfl_xor_sync(~0u, best.row, distance),
                           __shfl_xor_sync(~0u, best.column, distance)};
      if (goes_before(other, best)) best = other;
    }
    if (lane_ != 0 || item_[p].number < 0) return;
    if (work_.wide != 0) static_cast<i64*>(work_.task.scores)[item_[p].number] = best.score;
    else static_cast<i32*>(work_.task.scores)[item_[p].number] = best.score;
    if ((any_row || !local) && work_.task.ends != nullptr) work_.task.ends[item_[p].number] = {best.row, best.column};
  }

  const AlignWork& work_;
  const K& k_;
  u32 scores_;  // of a matrix, in shared memory
  int lane_, leader_;
  i32 first_;
  V less_first_, less_next_, floor_;
  Handed<V>* handed_;
  Item item_[pairs];
  BestCell best_[pairs];
  i32 columns_ = 0, strips_ = 0;
  V letters_[by_matrix ? 1 : R], h_[R], e_[affine ? R : 1], diagonal_, best_value_;
  V differ_[!local && !by_matrix && !picks ? R : 1];
  u32 column_scores_[2];
  u32 column_at_[2], row_at_[pairs][by_table ? R : 1];  // of which the sum is the place of a score
  typename ProfileOf<R, by_profile>::Type profile_;
};

/// Thread blocks of a multiprocessor: profiles take most of the shared memory of half as many.
template <class P, bool bytes>
inline constexpr int align_blocks = bytes&& wavefront::by_matrix<P> ? profile_blocks : 4;

/// @tparam bytes as for AlignGroup; without a matrix this kernel, or the one without it, leaves a block to the other
template <class P, class Values, bool any_row, int G, int R, bool bytes>
__global__ void __launch_bounds__(align_threads, align_blocks<P, bytes>)
    align_kernel(const __grid_constant__ device::Port port, PairsState* state, const __grid_constant__ AlignWork work,
                 const __grid_constant__ typename P::template Constants<i64> k) {
  if (state->begun == 0) return;
  unsigned char* shared_scores = device::launch_shared_memory();
  if constexpr (!wavefront::by_matrix<P>) {
    if (bytes != (work.bytes != 0 && state->ones < 4)) return;
  } else if constexpr (!bytes) {
    SharedScores<Values>::bring(*work.scores, shared_scores, align_threads);
  }
  const i32 warp = static_cast<i32>(blockIdx.x * (align_threads / 32) + threadIdx.x / 32);
  AlignGroup<P, Values, any_row, G, R, bytes> group(work, k, device::shared_address(shared_scores), warp);
  constexpr i32 places = 32 / G * Values::pairs;
  static_assert(places <= most_places);
  i64 first = 0;
  while (take_places(port, state, places, first)) group.align(first);
}

}  // namespace terrace::pairs
