// Bands of problems on letters and values, both items: the code around the vectorised kernel.
#pragma once

#include <atomic>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernels/values/aligned_array.hpp"
#include "kernels/wavefront/cpu/band.hpp"
#include "kernels/wavefront/cpu/band_rows.hpp"
#include "kernels/wavefront/cpu/borders.hpp"
#include "kernels/wavefront/cpu/letters/local.hpp"
#include "kernels/wavefront/cpu/tickets.hpp"
#include "kernels/wavefront/cpu/transpose.hpp"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/pruning.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

using values::AlignedArray;

/// Steps from one look at the neighbours to the next, also where chunks are turned from one type to another; steps at
/// a time with every H kept.
inline constexpr i64 chunk_steps = measured::CpuLetters::chunk_steps;
inline constexpr i64 most_chunk_steps = measured::CpuLetters::most_chunk_steps;
inline constexpr i64 kept_steps = measured::CpuLetters::kept_steps;

/// Columns of a row that wait for the rest of their cache line: one less than a line of the narrowest table holds.
inline constexpr i64 pending_columns = 32;
/// Columns of a row that are stored together: waiting columns, and the columns of a chunk.
inline constexpr i64 row_width = pending_columns + 2 * chunk_steps;

/// Writes `count` values from element `offset` of a table on.
template <class T>
using StoreRow = void (*)(const T* values, i64 count, double scale, void* table, i64 offset);

/// The data that all bands of a sweep share.
template <class P, class T>
struct LettersPlan {
  typename P::template Constants<i64> constants;
  i64 rows, columns;  // of the table
  AdvanceBand<T> advance;
  BandLayout layout;
  ElementType border;
  StoreRow<T> store_row;  // null: no table
  i64 stored_bytes;       // of an element of the table
  double scale;
  std::atomic<i64>* known;  // the largest score that was found anywhere; null: nothing is left out
  LocalTypes local;         // if narrow types are tried first; else without kernels

  bool narrows() const { return local.range != nullptr; }
  i64 chunk() const { return narrows() ? most_chunk_steps : chunk_steps; }
};

/// A band in a narrow type, in addition to the band in 32 bits.
template <class N>
struct NarrowScratch {
  NarrowScratch(i64 cells, bool used);

  BandState<N> state{};
  AlignedArray<N> h, e, best, letters;
  AlignedArray<N> top_h, top_f, column_letters, bottom_h, bottom_f;
};

/// Memory of one thread.
template <class T>
struct LettersScratch {
  LettersScratch(i64 lanes, i64 rows_per_lane, bool keeps, bool stores, bool profiles, bool narrows)
      : h(lanes * rows_per_lane),
        e(lanes * rows_per_lane),
        best(lanes * rows_per_lane),
        letters(lanes * rows_per_lane),
        saved_h(lanes * rows_per_lane),
        saved_e(lanes * rows_per_lane),
        column(lanes * rows_per_lane + 1),
        top_h(2 * most_chunk_steps),
        top_f(2 * most_chunk_steps),
        column_letters(2 * most_chunk_steps),
        bottom_h(2 * most_chunk_steps),
        bottom_f(2 * most_chunk_steps),
        bytes(lanes * rows_per_lane, narrows),
        words(lanes * rows_per_lane, narrows) {
    if (profiles) profile = AlignedArray<device::i8>(lanes * profile_letters * profile_rows);
    if (keeps) kept = AlignedArray<T>(2 * kept_steps * lanes * rows_per_lane);
    if (stores) {
      rows = AlignedArray<T>(row_width * lanes * rows_per_lane);
      pending = AlignedArray<i64>(lanes * rows_per_lane);
    }
  }

  AlignedArray<T> h, e, best, letters, saved_h, saved_e, column;
  AlignedArray<T> top_h, top_f, column_letters, bottom_h, bottom_f;
  AlignedArray<T> kept, rows;
  AlignedArray<device::i8> profile;
  AlignedArray<i64> pending;  // of each row
  NarrowScratch<i8> bytes;
  NarrowScratch<i16> words;
};

/// Memory of one block in flight: the row border between its bands, in place, and the results so far.
template <class T>
struct LettersSlot {
  LettersSlot(i64 columns, i64 bands, int planes)
      : row_h(columns), row_f(planes > 1 ? columns : 0), found(static_cast<std::size_t>(bands)) {}

  AlignedArray<T> row_h, row_f;
  std::vector<BlockResult> found;  // of each band
  std::atomic<i64> best{0};        // the largest score that any band of the block has found so far
};

/// Makes `largest` at least `value`.
inline void raise(std::atomic<i64>& largest, i64 value) {
  i64 now = largest.load(std::memory_order_relaxed);
  while (now < value && !largest.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
  }
}

/// One band being swept.
template <class P, class T>
class LettersBand {
 public:
  LettersBand(const LettersPlan<P, T>& plan, LettersScratch<T>& scratch, LettersSlot<T>& slot, Band& band)
      : plan_(plan),
        scratch_(scratch),
        slot_(slot),
        band_(band),
        task_(band.task()),
        rows_(plan.layout.band(task_.row_end - task_.row_begin, band.index())),
        row_begin_(task_.row_begin + rows_.row),
        width_(task_.column_end - task_.column_begin),
        window_(window_of<P, i64>(plan.constants)) {
    const ColumnRange columns =
        columns_in_window(window_, row_begin_, row_begin_ + rows_.count(), task_.column_begin, task_.column_end);
    origin_ = columns.begin - task_.column_begin;
    columns_ = std::max<i64>(0, columns.end - columns.begin);
  }

  bool sweep();

 private:
  static constexpr bool finds_best = P::report == Report::best;
  /// Items in the type of a task; the type in which the recurrence's border is computed.
  using Item = std::conditional_t<P::items == Items::letters, device::u8, T>;
  using Exact = std::conditional_t<P::items == Items::letters, i64, T>;

  i64 lanes() const { return plan_.layout.lanes(); }
  i64 state_size() const { return rows_.rows_per_lane * lanes(); }
  /// Cells of a column, without lanes that have no rows: bands with such lanes have one row a lane.
  i64 active_cells() const { return rows_.last_lane + 1 < lanes() ? rows_.last_lane + 1 : state_size(); }
  i64 columns_entering(i64 first, i64 last) const {
    return std::max<i64>(0, std::min(columns_, 2 * last) - 2 * first);
  }
  BandStream<T> stream(i64 first, i64 last, i64 chunk_first, T* kept);
  void read_left(int plane, i64 offset, i64 count, T* values) const;
  T corner() const;
  void fill_outside();
  void load_left();
  void make_profile(const device::u8* letters);
  void load_top(i64 first, i64 last);
  bool can_skip(i64 first, i64 last) const;
  T entering(i64 first, i64 last) const;
  void skip(i64 first, i64 last);
  i64 cells_of(i64 first, i64 last) const;
  void place_letters(i64 step);
  LocalRange entering_range(i64 first, i64 last) const;
  template <class N>
  bool compute_narrow(i64 first, i64 last, const LocalRange& range, const LocalKernels<N>& kernels,
                      NarrowScratch<N>& narrow);
  template <class N>
  void enter_narrow(i64 first, i64 last, const LocalKernels<N>& kernels, NarrowScratch<N>& narrow, i32 base);
  template <class N>
  void look_at_narrow(i64 first, i64 last, const LocalKernels<N>& kernels, NarrowScratch<N>& narrow, i32 base);
  template <class N>
  void leave_narrow(i64 first, i64 last, const LocalKernels<N>& kernels, NarrowScratch<N>& narrow, i32 base);
  void compute(i64 first, i64 last);
  void collect_rows(i64 step);
  void store_rows(i64 first, i64 last);
  void store_row(i64 row, i64 begin, i64 end);
  i64 whole_lines(i64 row, i64 end) const;
  void store_bottom(i64 first, i64 last);
  void store_right();
  void report_last();
  void look_along_last_row(i64 begin, i64 end, const T* h);
  void look_along_last_column();
  void look_at_end(const BlockResult& cell);
  void save();
  void restore();
  void look_for_best(i64 first, i64 last);
  void locate(i64 first, i64 last, T score, i64 row);
  i64 column_in_kept(i64 first, i64 last, T score, i64 row) const;

  const LettersPlan<P, T>& plan_;
  LettersScratch<T>& scratch_;
  LettersSlot<T>& slot_;
  Band& band_;
  const BlockTask& task_;
  BandRows rows_;
  i64 row_begin_;  // the band's first in the table
  i64 width_;      // columns of the block
  i64 window_;
  i64 origin_ = 0,
      columns_ = 0;  // the band's columns: [origin_, origin_ + columns_) of the block, from which it counts
  BandState<T> state_{}, saved_{};
  T corner_right_{};  // H above the band's first row in the last column
};

}  // namespace terrace::wavefront
