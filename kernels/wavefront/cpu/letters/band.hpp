// The sweep of a band: borders in, chunks of steps, borders out.
#pragma once

#include <immintrin.h>

#include "kernels/wavefront/cpu/letters/narrow.hpp"
#include "kernels/wavefront/cpu/letters/pruned.hpp"
#include "kernels/wavefront/cpu/letters/sweeper.hpp"
#include "kernels/wavefront/substitution.hpp"

namespace terrace::wavefront {

template <class P, class T>
bool LettersBand<P, T>::sweep() {
  if constexpr (has_window<P>) {
    if (plan_.store_row != nullptr && task_.table != nullptr) fill_outside();
    if (columns_ == 0) {
      _mm_sfence();
      band_.publish(width_);
      return true;
    }
  }
  if (origin_ == 0 && !band_.wait_left()) return false;
  load_left();
  const i64 steps = (columns_ + 1) / 2 + rows_.last_lane;
  for (i64 first = 0; first < steps; first += plan_.chunk()) {
    const i64 last = std::min(first + plan_.chunk(), steps);
    if (!band_.wait_above(origin_ + std::min(columns_, 2 * last))) return false;
    load_top(first, last);
    if (can_skip(first, last)) skip(first, last);
    else compute(first, last);
    store_bottom(first, last);
    if (last < steps) band_.publish(origin_ + std::max<i64>(0, 2 * (last - rows_.last_lane)));
  }
  store_right();
  if constexpr (P::report == Report::last) report_last();
  if constexpr (P::report == Report::ends) look_along_last_column();
  _mm_sfence();
  band_.publish(width_);
  return true;
}

/// Cells of the table left and right of the band's columns are outside the window.
template <class P, class T>
void LettersBand<P, T>::fill_outside() {
  constexpr i64 length = 512;
  alignas(64) T infinite[length];
  std::fill_n(infinite, length, static_cast<T>(infinity));
  for (i64 row = 0; row < rows_.count(); ++row) {
    for (const auto& [begin, end] : {ColumnRange{0, origin_}, ColumnRange{origin_ + columns_, width_}}) {
      for (i64 column = begin; column < end; column += length) {
        plan_.store_row(infinite, std::min(length, end - column), plan_.scale, task_.table,
                        (rows_.row + row) * task_.table_stride + column);
      }
    }
  }
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
  if constexpr (has_window<P>) {
    if (origin_ > 0) return std::fill_n(values, count, static_cast<T>(infinity)), void();
  }
  if (task_.left != nullptr) {
    read_border(plan_.border, task_.left, plane * task_.column_border_stride + offset, count, values);
    if constexpr (has_window<P>) {
      for (i64 i = 0; i < count; ++i) {
        const bool inside = in_window(window_, task_.row_begin + offset - 1 + i, task_.column_begin - 1);
        if (!inside) values[i] = static_cast<T>(infinity);
      }
    }
    return;
  }
  const auto k = P::template constants_as<Exact>(plan_.constants);
  for (i64 i = 0; i < count; ++i) {
    const Border<Exact> border = P::template left<Exact>(k, task_.row_begin + offset - 1 + i);
    values[i] = static_cast<T>(plane == 0 ? border.h : border.gap);
  }
  if constexpr (has_corner<P, Exact>) {
    if (task_.row_begin + offset == 0) values[0] = corner();
  }
}

/// The table's, from its first items.
template <class P, class T>
T LettersBand<P, T>::corner() const {
  return P::corner(P::template constants_as<Exact>(plan_.constants), *static_cast<const Item*>(task_.rows),
                   *static_cast<const Item*>(task_.columns));
}

template <class P, class T>
void LettersBand<P, T>::load_left() {
  state_.rows_per_lane = rows_.rows_per_lane;
  state_.last_lane = rows_.last_lane;
  state_.columns = columns_;
  state_.diagonal = row_begin_ - task_.column_begin - origin_;
  state_.h = scratch_.h.data();
  state_.e = scratch_.e.data();
  state_.best = scratch_.best.data();
  state_.letters = scratch_.letters.data();
  const i64 size = state_size();
  for (auto* array : {&scratch_.h, &scratch_.e, &scratch_.best, &scratch_.letters}) {
    std::fill_n(array->data(), size, T{});
  }
  if (plan_.store_row != nullptr) std::fill_n(scratch_.pending.data(), rows_.count(), i64{0});
  const auto* letters = static_cast<const Item*>(task_.rows) + rows_.row;
  T* column = scratch_.column.data();
  read_left(0, rows_.row, rows_.count() + 1, column);
  for (i64 lane = 0; lane <= rows_.last_lane; ++lane) {
    state_.corner[lane] = column[lane * rows_.rows_per_lane];
    for (i64 row = 0; row < rows_.rows_per_lane; ++row) {
      const i64 from = lane * rows_.rows_per_lane + row;
      scratch_.h[row * lanes() + lane] = column[from + 1];
      scratch_.letters[row * lanes() + lane] = letters[from];
      if (plan_.narrows()) scratch_.bytes.letters[row * lanes() + lane] = static_cast<i8>(letters[from]);
      if (plan_.narrows()) scratch_.words.letters[row * lanes() + lane] = static_cast<i16>(letters[from]);
    }
  }
  if constexpr (by_matrix<P>) make_profile(letters);
  if constexpr (P::column_planes > 1) {
    read_left(1, rows_.row + 1, rows_.count(), column);
    for (i64 i = 0; i < rows_.count(); ++i) {
      scratch_.e[i % rows_.rows_per_lane * lanes() + i / rows_.rows_per_lane] = column[i];
    }
  }
}

static_assert(matrix_size <= profile_letters);

/// The scores of the band's rows with every letter of the matrix.
template <class P, class T>
void LettersBand<P, T>::make_profile(const device::u8* letters) {
  state_.profile = scratch_.profile.data();
  const Matrix& matrix = *plan_.constants.matrix;
  for (i64 i = 0; i < rows_.count(); ++i) {
    const i64 lane = i / rows_.rows_per_lane, row = i % rows_.rows_per_lane;
    device::i8* scores = scratch_.profile.data() + lane * profile_letters * profile_rows + row;
    for (int letter = 0; letter < matrix.count; ++letter) {
      scores[letter * profile_rows] = matrix.scores[letters[i]][letter];
    }
  }
}

template <class P, class T>
void LettersBand<P, T>::load_top(i64 first, i64 last) {
  const i64 begin = origin_ + 2 * first;
  const i64 count = std::max<i64>(0, origin_ + std::min(columns_, 2 * last) - begin);
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
    const auto k = P::template constants_as<Exact>(plan_.constants);
    for (i64 i = 0; i < count; ++i) {
      const Border<Exact> border = P::template top<Exact>(k, task_.column_begin + begin + i);
      h[i] = static_cast<T>(border.h);
      f[i] = static_cast<T>(border.gap);
    }
  }
  if constexpr (has_window<P>) {
    // The row above has cells in the window up to here in these columns.
    const i64 known = std::max<i64>(0, row_begin_ + window_ - task_.column_begin - begin);
    for (i64 i = known; i < count; ++i) h[i] = static_cast<T>(infinity);
  }
  const auto* letters = static_cast<const Item*>(task_.columns) + begin;
  for (i64 i = 0; i < count; ++i) scratch_.column_letters[i] = letters[i];
  if (count > 0 && begin + count == width_) corner_right_ = h[count - 1];
}

template <class P, class T>
void LettersBand<P, T>::compute(i64 first, i64 last) {
  const bool table = plan_.store_row != nullptr && task_.table != nullptr;
  if constexpr (narrows_in_chunks<P> && std::is_same_v<T, i32>) {
    if (plan_.narrows()) {
      const LocalRange range = entering_range(first, last);
      if (compute_narrow(first, last, range, plan_.local.bytes, scratch_.bytes)) return;
      if (compute_narrow(first, last, range, plan_.local.words, scratch_.words)) return;
    }
  }
  if constexpr (finds_best) save();
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
  if constexpr (finds_best) look_for_best(first, last);
}

template <class P, class T>
void LettersBand<P, T>::store_bottom(i64 first, i64 last) {
  const i64 origin = 2 * (first - rows_.last_lane);
  const i64 begin = std::max<i64>(0, origin), end = std::min(columns_, 2 * (last - rows_.last_lane));
  if (begin >= end) return;
  const T *h = scratch_.bottom_h.data() + (begin - origin), *f = scratch_.bottom_f.data() + (begin - origin);
  const i64 to = origin_ + begin;
  if constexpr (P::report == Report::ends) look_along_last_row(to, to + (end - begin), h);
  if (!band_.last()) {
    std::memcpy(slot_.row_h.data() + to, h, static_cast<std::size_t>(end - begin) * sizeof(T));
    if constexpr (P::row_planes > 1) {
      std::memcpy(slot_.row_f.data() + to, f, static_cast<std::size_t>(end - begin) * sizeof(T));
    }
  } else if (task_.bottom != nullptr) {
    write_border(plan_.border, h, end - begin, task_.bottom, to);
    if constexpr (P::row_planes > 1) {
      write_border(plan_.border, f, end - begin, task_.bottom, task_.row_border_stride + to);
    }
  }
}

template <class P, class T>
void LettersBand<P, T>::store_right() {
  if (task_.right == nullptr || origin_ + columns_ < width_) return;
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
  const T score = state_.h[(rows_.rows_per_lane - 1) * lanes() + rows_.last_lane];
  slot_.found[static_cast<std::size_t>(band_.index())] = {reported(score), task_.row_end, task_.column_end};
}

/// Inspects the band's lowest row if it is the table's last; h[0] belongs to column `begin` of the block.
template <class P, class T>
void LettersBand<P, T>::look_along_last_row(i64 begin, i64 end, const T* h) {
  if (!P::ends(plan_.constants).last_row || !band_.last() || task_.row_end != plan_.rows) return;
  const T* best = std::max_element(h, h + (end - begin), [](T a, T b) { return is_better<P>(b, a); });
  look_at_end({reported(*best), plan_.rows, task_.column_begin + begin + (best - h) + 1});
}

/// Inspects the band's rows of the table's last column, or only the last of them if no other may end an alignment.
template <class P, class T>
void LettersBand<P, T>::look_along_last_column() {
  if (task_.column_end != plan_.columns) return;
  const bool all = P::ends(plan_.constants).last_column;
  const i64 first = task_.row_begin + rows_.row;
  for (i64 i = all ? 0 : rows_.count() - 1; i < rows_.count(); ++i) {
    const T h = state_.h[i % rows_.rows_per_lane * lanes() + i / rows_.rows_per_lane];
    if (all || first + i + 1 == plan_.rows) look_at_end({reported(h), first + i + 1, plan_.columns});
  }
}

template <class P, class T>
void LettersBand<P, T>::look_at_end(const BlockResult& cell) {
  BlockResult& found = slot_.found[static_cast<std::size_t>(band_.index())];
  if (found.row == 0 || goes_before(cell, found)) found = cell;
}

}  // namespace terrace::wavefront
