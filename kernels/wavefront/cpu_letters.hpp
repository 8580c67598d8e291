// Bands of problems on letters: what surrounds the vectorised kernel.
#pragma once

#include <atomic>
#include <cstring>
#include <vector>

#include "kernels/wavefront/aligned_array.hpp"
#include "kernels/wavefront/cpu_band.hpp"
#include "kernels/wavefront/cpu_band_rows.hpp"
#include "kernels/wavefront/cpu_borders.hpp"
#include "kernels/wavefront/cpu_tickets.hpp"
#include "kernels/wavefront/cpu_transpose.hpp"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

/// Steps from one look at the neighbours to the next; with every H kept, steps at a time that stay in the first-level
/// cache.
inline constexpr i64 chunk_steps = 64;
inline constexpr i64 kept_steps = 16;

/// Columns of a row that wait for the rest of their cache line: one less than a line of the narrowest table holds.
inline constexpr i64 pending_columns = 32;
/// Columns of a row that are stored together: those that wait, and those of a chunk.
inline constexpr i64 row_width = pending_columns + 2 * chunk_steps;

/// Writes `count` values from element `offset` of a table on.
template <class T>
using StoreRow = void (*)(const T* values, i64 count, double scale, void* table, i64 offset);

/// What all bands of a sweep share.
template <class P, class T>
struct LettersPlan {
  typename P::template Constants<i64> constants;
  AdvanceBand<T> advance;
  BandLayout layout;
  ElementType border;
  StoreRow<T> store_row;  // null: no table
  i64 stored_bytes;       // of an element of the table
  double scale;
};

/// Memory of one thread.
template <class T>
struct LettersScratch {
  LettersScratch(i64 lanes, i64 rows_per_lane, bool keeps)
      : h(lanes * rows_per_lane),
        e(lanes * rows_per_lane),
        best(lanes * rows_per_lane),
        letters(lanes * rows_per_lane),
        saved_h(lanes * rows_per_lane),
        saved_e(lanes * rows_per_lane),
        column(lanes * rows_per_lane + 1),
        top_h(2 * chunk_steps),
        top_f(2 * chunk_steps),
        column_letters(2 * chunk_steps),
        bottom_h(2 * chunk_steps),
        bottom_f(2 * chunk_steps) {
    if (keeps) {
      kept = AlignedArray<T>(2 * kept_steps * lanes * rows_per_lane);
      rows = AlignedArray<T>(row_width * lanes * rows_per_lane);
      pending = AlignedArray<i64>(lanes * rows_per_lane);
    }
  }

  AlignedArray<T> h, e, best, letters, saved_h, saved_e, column;
  AlignedArray<T> top_h, top_f, column_letters, bottom_h, bottom_f;
  AlignedArray<T> kept, rows;
  AlignedArray<i64> pending;  // of each row
};

/// Memory of one block under way: the row border between its bands, in place, and what was found.
template <class T>
struct LettersSlot {
  LettersSlot(i64 columns, i64 bands, int planes)
      : row_h(columns), row_f(planes > 1 ? columns : 0), found(static_cast<std::size_t>(bands)) {}

  AlignedArray<T> row_h, row_f;
  std::vector<BlockResult> found;  // of each band
  std::atomic<i64> best{0};        // the largest score that any band of the block has found so far
};

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
        columns_(task_.column_end - task_.column_begin),
        rows_(plan.layout.band(task_.row_end - task_.row_begin, band.index())) {}

  bool sweep();

 private:
  static constexpr bool finds_best = P::report == Report::best;

  i64 lanes() const { return plan_.layout.lanes(); }
  i64 state_size() const { return rows_.rows_per_lane * lanes(); }
  BandStream<T> stream(i64 first, i64 last, i64 chunk_first, T* kept);
  void read_left(int plane, i64 offset, i64 count, T* values) const;
  void load_left();
  void load_top(i64 first, i64 last);
  void compute(i64 first, i64 last);
  void collect_rows(i64 step);
  void store_rows(i64 first, i64 last);
  void store_row(i64 row, i64 begin, i64 end);
  i64 whole_lines(i64 row, i64 end) const;
  void store_bottom(i64 first, i64 last);
  void store_right();
  void report_last();
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
  i64 columns_;
  BandRows rows_;
  BandState<T> state_{}, saved_{};
  T corner_right_{};  // H above the band's first row in the last column
};

template <class P, class T>
bool LettersBand<P, T>::sweep() {
  if (!band_.wait_left()) return false;
  load_left();
  const i64 steps = (columns_ + 1) / 2 + rows_.last_lane;
  for (i64 first = 0; first < steps; first += chunk_steps) {
    const i64 last = std::min(first + chunk_steps, steps);
    if (!band_.wait_above(std::min(columns_, 2 * last))) return false;
    load_top(first, last);
    compute(first, last);
    store_bottom(first, last);
    if (last < steps) band_.publish(std::max<i64>(0, 2 * (last - rows_.last_lane)));
  }
  store_right();
  if constexpr (!finds_best) report_last();
  _mm_sfence();
  band_.publish(columns_);
  return true;
}

template <class P, class T>
BandStream<T> LettersBand<P, T>::stream(i64 first, i64 last, i64 chunk_first, T* kept) {
  const i64 at = 2 * (first - chunk_first);
  return {first,
          last,
          scratch_.top_h.data() + at,
          scratch_.top_f.data() + at,
          scratch_.column_letters.data() + at,
          scratch_.bottom_h.data() + at,
          scratch_.bottom_f.data() + at,
          kept};
}

/// Values of rows [offset - 1, offset - 1 + count) of the block.
template <class P, class T>
void LettersBand<P, T>::read_left(int plane, i64 offset, i64 count, T* values) const {
  if (task_.left != nullptr) {
    read_border(plan_.border, task_.left, plane * task_.column_border_stride + offset, count, values);
    return;
  }
  for (i64 i = 0; i < count; ++i) {
    const Border<i64> border = P::template left<i64>(plan_.constants, task_.row_begin + offset - 1 + i);
    values[i] = static_cast<T>(plane == 0 ? border.h : border.gap);
  }
}

template <class P, class T>
void LettersBand<P, T>::load_left() {
  state_.rows_per_lane = rows_.rows_per_lane;
  state_.last_lane = rows_.last_lane;
  state_.columns = columns_;
  state_.h = scratch_.h.data();
  state_.e = scratch_.e.data();
  state_.best = scratch_.best.data();
  state_.letters = scratch_.letters.data();
  const i64 size = state_size();
  for (auto* array : {&scratch_.h, &scratch_.e, &scratch_.best, &scratch_.letters}) {
    std::fill_n(array->data(), size, T{});
  }
  if (plan_.store_row != nullptr) std::fill_n(scratch_.pending.data(), rows_.count(), i64{0});
  const auto* letters = static_cast<const device::u8*>(task_.rows) + rows_.row;
  T* column = scratch_.column.data();
  read_left(0, rows_.row, rows_.count() + 1, column);
  for (i64 lane = 0; lane <= rows_.last_lane; ++lane) {
    state_.corner[lane] = column[lane * rows_.rows_per_lane];
    for (i64 row = 0; row < rows_.rows_per_lane; ++row) {
      const i64 from = lane * rows_.rows_per_lane + row;
      scratch_.h[row * lanes() + lane] = column[from + 1];
      scratch_.letters[row * lanes() + lane] = letters[from];
    }
  }
  if constexpr (P::column_planes > 1) {
    read_left(1, rows_.row + 1, rows_.count(), column);
    for (i64 i = 0; i < rows_.count(); ++i) {
      scratch_.e[i % rows_.rows_per_lane * lanes() + i / rows_.rows_per_lane] = column[i];
    }
  }
}

template <class P, class T>
void LettersBand<P, T>::load_top(i64 first, i64 last) {
  const i64 begin = 2 * first;
  const i64 count = std::max<i64>(0, std::min(columns_, 2 * last) - begin);
  T *h = scratch_.top_h.data(), *f = scratch_.top_f.data();
  if (count > 0 && !band_.first()) {
    std::memcpy(h, slot_.row_h.data() + begin, static_cast<std::size_t>(count) * sizeof(T));
    if constexpr (P::row_planes > 1) {
      std::memcpy(f, slot_.row_f.data() + begin, static_cast<std::size_t>(count) * sizeof(T));
    }
  } else if (task_.top != nullptr) {
    read_border(plan_.border, task_.top, begin, count, h);
    if constexpr (P::row_planes > 1) read_border(plan_.border, task_.top, task_.row_border_stride + begin, count, f);
  } else {
    for (i64 i = 0; i < count; ++i) {
      const Border<i64> border = P::template top<i64>(plan_.constants, task_.column_begin + begin + i);
      h[i] = static_cast<T>(border.h);
      f[i] = static_cast<T>(border.gap);
    }
  }
  const auto* letters = static_cast<const device::u8*>(task_.columns) + begin;
  for (i64 i = 0; i < count; ++i) scratch_.column_letters[i] = letters[i];
  if (count > 0 && begin + count == columns_) corner_right_ = h[count - 1];
}

template <class P, class T>
void LettersBand<P, T>::compute(i64 first, i64 last) {
  const bool table = plan_.store_row != nullptr && task_.table != nullptr;
  if (finds_best) save();
  if (!table) {
    plan_.advance(state_, stream(first, last, first, nullptr), &plan_.constants);
  } else {
    for (i64 from = first; from < last; from += kept_steps) {
      const i64 to = std::min(from + kept_steps, last);
      plan_.advance(state_, stream(from, to, first, scratch_.kept.data()), &plan_.constants);
      collect_rows(from - first);
    }
    store_rows(first, last);
  }
  if (finds_best) look_for_best(first, last);
}

/// Steps from the chunk's step `step` on are in `kept`: put them in rows. Each row of scratch_.rows holds columns that
/// wait, right before element pending_columns, and those of the chunk from there on.
template <class P, class T>
void LettersBand<P, T>::collect_rows(i64 step) {
  const i64 per_lane = rows_.rows_per_lane;
  T* rows = scratch_.rows.data() + pending_columns + 2 * step;
  for (i64 row = 0; row < per_lane; ++row) {
    transpose(scratch_.kept.data() + row * lanes(), state_size(), 2 * kept_steps, lanes(), rows + row * row_width,
              per_lane * row_width);
  }
}

/// Writes the columns of steps [first, last) to the rows of the table.
template <class P, class T>
void LettersBand<P, T>::store_rows(i64 first, i64 last) {
  const i64 per_lane = rows_.rows_per_lane;
  for (i64 row = 0; row < rows_.count(); ++row) {
    const i64 begin = 2 * (first - row / per_lane), end = begin + 2 * (last - first);
    if (end > 0 && begin < columns_) store_row(row, begin, end);
  }
}

/// Row `row` of the band has new columns [begin, end), some of which may lie outside the block: write those that fill
/// cache lines of the table, which then never need to be read, and keep the rest. At the end of the row write all.
template <class P, class T>
void LettersBand<P, T>::store_row(i64 row, i64 begin, i64 end) {
  T* values = scratch_.rows.data() + row * row_width;
  i64& pending = scratch_.pending[row];
  const i64 from = std::max<i64>(0, begin - pending);
  const i64 to = end >= columns_ ? columns_ : std::max(from, whole_lines(row, end));
  plan_.store_row(values + pending_columns + (from - begin), to - from, plan_.scale, task_.table,
                  (rows_.row + row) * task_.table_stride + from);
  pending = std::min(end, columns_) - to;
  std::memmove(values, values + (end - begin), pending_columns * sizeof(T));
}

/// The last column up to which row `row` of the band fills cache lines of the table, at most `end`.
template <class P, class T>
i64 LettersBand<P, T>::whole_lines(i64 row, i64 end) const {
  const i64 offset = ((rows_.row + row) * task_.table_stride + end) * plan_.stored_bytes;
  const auto address = reinterpret_cast<std::uintptr_t>(task_.table) + static_cast<std::uintptr_t>(offset);
  return end - static_cast<i64>(address % 64) / plan_.stored_bytes;
}

template <class P, class T>
void LettersBand<P, T>::store_bottom(i64 first, i64 last) {
  const i64 origin = 2 * (first - rows_.last_lane);
  const i64 begin = std::max<i64>(0, origin), end = std::min(columns_, 2 * (last - rows_.last_lane));
  if (begin >= end) return;
  const T *h = scratch_.bottom_h.data() + (begin - origin), *f = scratch_.bottom_f.data() + (begin - origin);
  if (!band_.last()) {
    std::memcpy(slot_.row_h.data() + begin, h, static_cast<std::size_t>(end - begin) * sizeof(T));
    if constexpr (P::row_planes > 1) {
      std::memcpy(slot_.row_f.data() + begin, f, static_cast<std::size_t>(end - begin) * sizeof(T));
    }
  } else if (task_.bottom != nullptr) {
    write_border(plan_.border, h, end - begin, task_.bottom, begin);
    if constexpr (P::row_planes > 1) {
      write_border(plan_.border, f, end - begin, task_.bottom, task_.row_border_stride + begin);
    }
  }
}

template <class P, class T>
void LettersBand<P, T>::store_right() {
  if (task_.right == nullptr) return;
  if (band_.first()) write_border(plan_.border, &corner_right_, 1, task_.right, 0);
  T* column = scratch_.column.data();
  for (int plane = 0; plane < P::column_planes; ++plane) {
    const T* state = plane == 0 ? state_.h : state_.e;
    for (i64 i = 0; i < rows_.count(); ++i) {
      column[i] = state[i % rows_.rows_per_lane * lanes() + i / rows_.rows_per_lane];
    }
    write_border(plan_.border, column, rows_.count(), task_.right,
                 plane * task_.column_border_stride + 1 + rows_.row);
  }
}

template <class P, class T>
void LettersBand<P, T>::report_last() {
  const i64 score = state_.h[(rows_.rows_per_lane - 1) * lanes() + rows_.last_lane];
  slot_.found[static_cast<std::size_t>(band_.index())] = {score, task_.row_end, task_.column_end};
}

template <class P, class T>
void LettersBand<P, T>::save() {
  saved_ = state_;
  std::memcpy(scratch_.saved_h.data(), state_.h, static_cast<std::size_t>(state_size()) * sizeof(T));
  std::memcpy(scratch_.saved_e.data(), state_.e, static_cast<std::size_t>(state_size()) * sizeof(T));
}

template <class P, class T>
void LettersBand<P, T>::restore() {
  state_ = saved_;
  std::memcpy(state_.h, scratch_.saved_h.data(), static_cast<std::size_t>(state_size()) * sizeof(T));
  std::memcpy(state_.e, scratch_.saved_e.data(), static_cast<std::size_t>(state_size()) * sizeof(T));
}

/// The kernel leaves the largest H of each row. Only a chunk that beats what the band has found (or equals it in an
/// earlier row) and is not beaten by another band is computed again to find the column.
template <class P, class T>
void LettersBand<P, T>::look_for_best(i64 first, i64 last) {
  T* best = state_.best;
  const i64 size = state_size();
  T largest = 0;
  for (i64 i = 0; i < size; ++i) largest = std::max(largest, best[i]);
  const BlockResult& found = slot_.found[static_cast<std::size_t>(band_.index())];
  if (largest > 0 && largest >= found.score && largest >= slot_.best.load(std::memory_order_relaxed)) {
    i64 row = 0;
    while (best[row % rows_.rows_per_lane * lanes() + row / rows_.rows_per_lane] != largest) ++row;
    const i64 table_row = task_.row_begin + rows_.row + row + 1;
    if (largest > found.score || table_row < found.row) locate(first, last, largest, row);
  }
  std::fill_n(best, size, T{});
}

template <class P, class T>
void LettersBand<P, T>::locate(i64 first, i64 last, T score, i64 row) {
  restore();
  i64 column = -1;
  for (i64 from = first; from < last; from += kept_steps) {
    const i64 to = std::min(from + kept_steps, last);
    plan_.advance(state_, stream(from, to, first, scratch_.kept.data()), &plan_.constants);
    if (column < 0) column = column_in_kept(from, to, score, row);
  }
  slot_.found[static_cast<std::size_t>(band_.index())] = {score, task_.row_begin + rows_.row + row + 1,
                                                          task_.column_begin + column + 1};
  i64 best = slot_.best.load(std::memory_order_relaxed);
  while (best < score && !slot_.best.compare_exchange_weak(best, score, std::memory_order_relaxed)) {
  }
}

/// The first column of the band's row `row` in steps [first, last) where H is `score`; -1 where there is none.
template <class P, class T>
i64 LettersBand<P, T>::column_in_kept(i64 first, i64 last, T score, i64 row) const {
  const i64 lane = row / rows_.rows_per_lane;
  const T* values = scratch_.kept.data() + row % rows_.rows_per_lane * lanes() + lane;
  const i64 begin = 2 * (first - lane);
  const i64 low = std::max<i64>(0, -begin), high = std::min(2 * (last - first), columns_ - begin);
  for (i64 i = low; i < high; ++i) {
    if (values[i * state_size()] == score) return begin + i;
  }
  return -1;
}

}  // namespace terrace::wavefront
