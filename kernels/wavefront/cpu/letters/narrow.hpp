// Chunks of local alignments in narrow types, if their values fit: in bytes or words counted from a base.
//
// A value of a chunk can be reached from the H of its row at the chunk's left by a gap, so that no value is lower
// than the least of these minus the cost of the chunk's longest gap; nor are H and F above the band if they are
// included, since an E or F is never less than its H minus the cost of a gap of one letter. With that as the base
// nothing is cut off below, except at the recurrence's own 0. Values cut off above are detected: the largest H is
// then the type's largest value, and the chunk is computed again in a wider type.
#pragma once

#include "kernels/wavefront/cpu/letters/sweeper.hpp"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

template <class N>
NarrowScratch<N>::NarrowScratch(i64 cells, bool used) {
  if (!used) return;
  for (auto* array : {&h, &e, &best, &letters}) *array = AlignedArray<N>(cells);
  for (auto* array : {&top_h, &top_f, &column_letters, &bottom_h, &bottom_f}) {
    *array = AlignedArray<N>(2 * most_chunk_steps);
  }
  state.h = h.data();
  state.e = e.data();
  state.best = best.data();
  state.letters = letters.data();
}

/// Cost of a gap of `count` letters.
template <class Constants>
i64 cost_of_gap(const Constants& k, i64 count) {
  if constexpr (requires { k.gap_first; }) return k.gap_first + (count - 1) * k.gap_next;
  else return k.gap * count;
}

/// True if type N holds the constants.
template <class N, class Constants>
bool holds_constants(const Constants& k) {
  const i64 largest = std::max({magnitude(k.match), magnitude(k.mismatch), cost_of_gap(k, 1)});
  return largest <= ceiling_of<N>;
}

/// The least H of the cells before steps [first, last), and the largest value.
template <class P, class T>
LocalRange LettersBand<P, T>::entering_range(i64 first, i64 last) const {
  LocalRange all = plan_.local.range(state_.h, active_cells());
  const auto join = [&](const T* values, i64 count, bool least) {
    if (count == 0) return;
    const LocalRange part = plan_.local.range(values, count);
    if (least) all.least = std::min(all.least, part.least);
    all.largest = std::max(all.largest, part.largest);
  };
  const i64 columns = columns_entering(first, last);
  join(scratch_.top_h.data(), columns, true);
  join(state_.corner, rows_.last_lane + 1, true);
  for (int p = 0; p < 2; ++p) join(state_.bottom_h[p], rows_.last_lane + 1, true);
  if constexpr (P::column_planes > 1) join(state_.e, active_cells(), false);
  if constexpr (P::row_planes > 1) {
    join(scratch_.top_f.data(), columns, false);
    for (int p = 0; p < 2; ++p) join(state_.bottom_f[p], rows_.last_lane + 1, false);
  }
  return all;
}

/// Computes the chunk in type N if its values may fit. @return false, with nothing changed, if they do not
template <class P, class T>
template <class N>
bool LettersBand<P, T>::compute_narrow(i64 first, i64 last, const LocalRange& range, const LocalKernels<N>& kernels,
                                       NarrowScratch<N>& narrow) {
  const auto& k = plan_.constants;
  const i64 base = std::max<i64>(0, range.least - cost_of_gap(k, 2 * (last - first)));
  constexpr i64 room = measured::CpuLetters::room_in_narrow;
  if (!holds_constants<N>(k) || range.largest - base + room * P::gain(k) > span_of<N>) return false;
  enter_narrow(first, last, kernels, narrow, static_cast<i32>(base));
  const BandStream<N> stream{first,
                             last,
                             narrow.top_h.data(),
                             narrow.top_f.data(),
                             narrow.column_letters.data(),
                             narrow.bottom_h.data(),
                             narrow.bottom_f.data(),
                             nullptr};
  kernels.advance(narrow.state, stream, &plan_.constants);
  if (kernels.largest(narrow.state.best, state_size()) == ceiling_of<N>) return false;
  look_at_narrow(first, last, kernels, narrow, static_cast<i32>(base));
  leave_narrow(first, last, kernels, narrow, static_cast<i32>(base));
  return true;
}

template <class P, class T>
template <class N>
void LettersBand<P, T>::enter_narrow(i64 first, i64 last, const LocalKernels<N>& kernels, NarrowScratch<N>& narrow,
                                     i32 base) {
  BandState<N>& state = narrow.state;
  state.rows_per_lane = state_.rows_per_lane;
  state.last_lane = state_.last_lane;
  state.columns = state_.columns;
  kernels.narrow(state_.h, state_size(), base, state.h);
  kernels.narrow(state_.corner, lanes(), base, state.corner);
  const i64 columns = columns_entering(first, last);
  kernels.narrow(scratch_.top_h.data(), columns, base, narrow.top_h.data());
  if constexpr (P::column_planes > 1) kernels.narrow(state_.e, state_size(), base, state.e);
  if constexpr (P::row_planes > 1) kernels.narrow(scratch_.top_f.data(), columns, base, narrow.top_f.data());
  for (int p = 0; p < 2; ++p) {
    kernels.narrow(state_.bottom_h[p], lanes(), base, state.bottom_h[p]);
    if constexpr (P::row_planes > 1) kernels.narrow(state_.bottom_f[p], lanes(), base, state.bottom_f[p]);
    for (i64 lane = 0; lane < lanes(); ++lane) {
      state.column_letters[p][lane] = static_cast<N>(state_.column_letters[p][lane]);
    }
  }
  for (i64 i = 0; i < columns; ++i) narrow.column_letters[i] = static_cast<N>(scratch_.column_letters[i]);
  std::fill_n(state.best, state_size(), floor_of<N>);
}

/// Finds the place of the best cell if the chunk may hold the table's; that is computed in 32 bits.
template <class P, class T>
template <class N>
void LettersBand<P, T>::look_at_narrow(i64 first, i64 last, const LocalKernels<N>& kernels, NarrowScratch<N>& narrow,
                                       i32 base) {
  const i64 largest = i64(kernels.largest(narrow.state.best, state_size())) - floor_of<N> + base;
  const BlockResult& found = slot_.found[static_cast<std::size_t>(band_.index())];
  if (largest == 0 || largest < found.score || largest < slot_.best.load(std::memory_order_relaxed)) return;
  save();
  kernels.widen(narrow.state.best, state_size(), base, state_.best);
  look_for_best(first, last);
}

template <class P, class T>
template <class N>
void LettersBand<P, T>::leave_narrow(i64 first, i64 last, const LocalKernels<N>& kernels, NarrowScratch<N>& narrow,
                                     i32 base) {
  const BandState<N>& state = narrow.state;
  const i64 columns = 2 * (last - first);
  kernels.widen(state.h, state_size(), base, state_.h);
  kernels.widen(state.corner, lanes(), base, state_.corner);
  kernels.widen(narrow.bottom_h.data(), columns, base, scratch_.bottom_h.data());
  if constexpr (P::column_planes > 1) kernels.widen(state.e, state_size(), base, state_.e);
  if constexpr (P::row_planes > 1) kernels.widen(narrow.bottom_f.data(), columns, base, scratch_.bottom_f.data());
  for (int p = 0; p < 2; ++p) {
    kernels.widen(state.bottom_h[p], lanes(), base, state_.bottom_h[p]);
    if constexpr (P::row_planes > 1) kernels.widen(state.bottom_f[p], lanes(), base, state_.bottom_f[p]);
  }
  place_letters(last);
}

}  // namespace terrace::wavefront
