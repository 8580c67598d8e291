// Chunks of a band that cannot lead to the best cell of the table: they are left out, as pruning.hpp explains. The
// part of the table that a chunk represents begins in the band's first row, in the column of its last lane; the
// values of the lanes, and the border above, enter it.
#pragma once

#include "kernels/wavefront/cpu/letters/sweeper.hpp"

namespace terrace::wavefront {

template <class P, class T>
bool LettersBand<P, T>::can_skip(i64 first, i64 last) const {
  if constexpr (can_prune<P>) {
    if (plan_.known == nullptr) return false;
    const i64 known = plan_.known->load(std::memory_order_relaxed), gain = P::gain(plan_.constants);
    const i64 column = task_.column_begin + origin_ + std::max<i64>(0, 2 * (first - rows_.last_lane));
    const auto reached = [&](i64 h) { return reach(h, gain, row_begin_, plan_.rows, column, plan_.columns); };
    return reached(0) < known && reached(entering(first, last)) < known;
  } else {
    return false;
  }
}

/// The largest of the values that steps [first, last) start from.
template <class P, class T>
T LettersBand<P, T>::entering(i64 first, i64 last) const {
  T largest{};
  const auto look = [&](const T* values, i64 count) {
    for (i64 i = 0; i < count; ++i) largest = std::max(largest, values[i]);
  };
  look(state_.h, state_size());
  if (P::column_planes > 1) look(state_.e, state_size());
  look(state_.corner, lanes());
  const i64 columns = std::max<i64>(0, std::min(columns_, 2 * last) - 2 * first);
  look(scratch_.top_h.data(), columns);
  if (P::row_planes > 1) look(scratch_.top_f.data(), columns);
  for (int p = 0; p < 2; ++p) {
    look(state_.bottom_h[p], lanes());
    if (P::row_planes > 1) look(state_.bottom_f[p], lanes());
  }
  return largest;
}

/// Leaves the band as steps [first, last) would, every value 0.
template <class P, class T>
void LettersBand<P, T>::skip(i64 first, i64 last) {
  std::fill_n(state_.h, state_size(), T{});
  std::fill_n(state_.e, state_size(), T{});
  std::fill_n(state_.corner, lanes(), T{});
  for (int p = 0; p < 2; ++p) {
    std::fill_n(state_.bottom_h[p], lanes(), T{});
    std::fill_n(state_.bottom_f[p], lanes(), T{});
  }
  place_letters(last);
  band_.leave_out(cells_of(first, last));
  std::fill_n(scratch_.bottom_h.data(), 2 * (last - first), T{});
  std::fill_n(scratch_.bottom_f.data(), 2 * (last - first), T{});
}

/// Cells that steps [first, last) compute: a lane is two columns behind the one above it.
template <class P, class T>
i64 LettersBand<P, T>::cells_of(i64 first, i64 last) const {
  i64 columns = 0;
  for (i64 lane = 0; lane <= rows_.last_lane; ++lane) {
    columns += std::max<i64>(0, std::min(columns_, 2 * (last - lane)) - std::max<i64>(0, 2 * (first - lane)));
  }
  return columns * rows_.rows_per_lane;
}

/// The letters that the lanes hold before step `step`.
template <class P, class T>
void LettersBand<P, T>::place_letters(i64 step) {
  const auto* letters = static_cast<const Item*>(task_.columns) + origin_;
  for (int p = 0; p < 2; ++p) {
    for (i64 lane = 0; lane < lanes(); ++lane) {
      const i64 column = 2 * (step - 1 - lane) + p;
      state_.column_letters[p][lane] = column >= 0 && column < columns_ ? static_cast<T>(letters[column]) : T{};
    }
  }
}

}  // namespace terrace::wavefront
