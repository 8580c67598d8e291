// Uses of every H of a band's chunk: rows for the table, the place of the best cell.
#pragma once

#include "kernels/wavefront/cpu/letters/sweeper.hpp"

namespace terrace::wavefront {

/// Steps from the chunk's step `step` on are in `kept`: puts them in rows. Each row of scratch_.rows holds waiting
/// columns, right before element pending_columns, and then the chunk's columns.
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

/// Row `row` of the band has new columns [begin, end), some of which may lie outside the block: writes those that
/// fill cache lines of the table, which then need not be read, and keeps the rest. At the end of the row writes all.
template <class P, class T>
void LettersBand<P, T>::store_row(i64 row, i64 begin, i64 end) {
  T* values = scratch_.rows.data() + row * row_width;
  i64& pending = scratch_.pending[row];
  const i64 from = std::max<i64>(0, begin - pending);
  const i64 to = end >= columns_ ? columns_ : std::max(from, whole_lines(row, end));
  plan_.store_row(values + pending_columns + (from - begin), to - from, plan_.scale, task_.table,
                  (rows_.row + row) * task_.table_stride + origin_ + from);
  pending = std::min(end, columns_) - to;
  std::memmove(values, values + (end - begin), pending_columns * sizeof(T));
}

/// The last column up to which row `row` of the band fills cache lines of the table, at most `end`.
template <class P, class T>
i64 LettersBand<P, T>::whole_lines(i64 row, i64 end) const {
  const i64 offset = ((rows_.row + row) * task_.table_stride + origin_ + end) * plan_.stored_bytes;
  const auto address = reinterpret_cast<std::uintptr_t>(task_.table) + static_cast<std::uintptr_t>(offset);
  return end - static_cast<i64>(address % 64) / plan_.stored_bytes;
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

/// The kernel leaves the largest H of each row. Only a chunk that beats the band's best so far (or equals it in an
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
                                                          task_.column_begin + origin_ + column + 1};
  raise(slot_.best, score);
  if (plan_.known != nullptr) raise(*plan_.known, score);
}

/// The first column of the band's row `row` in steps [first, last) in which H is `score`; -1 if there is none.
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
