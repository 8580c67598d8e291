// The band kernel on packs. Included only by sse2.cpp, avx2.cpp and avx512.cpp, each of which is compiled for its
// instruction set and defines TERRACE_ISA.
#pragma once

#include "kernels/values/cpu_pack.hpp"
#include "kernels/wavefront/cpu/bits/kernel.hpp"
#include "kernels/wavefront/cpu/profile.hpp"
#include "kernels/wavefront/problem_list.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront::TERRACE_ISA {

using namespace values::TERRACE_ISA;

/// The lanes that are inside the block at the first and at the second column of a step.
template <class T>
struct Active {
  Mask<T> column[2];
};

template <class T>
TERRACE_HOST_DEVICE Active<T> active_lanes(const BandState<T>& band, i64 step) {
  const i64 most = wavefront::minimum(step, band.last_lane);
  const i64 first_done = step + 1 - (band.columns + 1) / 2;
  const i64 second_done = step + 1 - band.columns / 2;
  return {{lanes_between<T>(first_done, most), lanes_between<T>(second_done, most)}};
}

/// Numbers that tell which lanes' cells lie in the window: lane k of row r is at row minus column = at + r - p +
/// number[k].
template <class T>
struct Reach {
  i64 window, at;
  Pack<T> number;

  TERRACE_HOST_DEVICE Mask<T> lanes(i64 row, int p) const {
    constexpr i64 most = 16384;  // above any number
    const i64 here = at + row - p;
    const Pack<T> low(wavefront::minimum(wavefront::maximum(-window - here, i64(0)), most));
    const Pack<T> high(wavefront::minimum(wavefront::maximum(window - here, i64(-1)), most));
    return {(number.v >= low.v) & (number.v <= high.v)};
  }
};

template <class P, class T>
TERRACE_HOST_DEVICE Reach<T> reach_of(const BandState<T>& band, i64 step,
                                      const typename P::template Constants<Pack<T>>& k) {
  static constexpr LaneNumbers<T> numbers;
  const Pack<T> apart(band.rows_per_lane + 2);
  return {window_of<P, Pack<T>>(k), band.diagonal - 2 * step, multiply(Pack<T>::load(numbers.own), apart)};
}

/// Values that a step hands from row to row of each lane, for its two columns.
template <class V>
struct Running {
  V diagonal;
  V up[2], f[2], letter[2];
};

/// A copy of a band's extent and pointers, so that the compiler need not read them again after every store.
template <class T>
struct RowArrays {
  i64 count;
  T *h, *e, *best;
  const T* letters;
  const ColumnScores<T>* scores;  // of a step's two columns
};

/// The score of a row's cells at a step's first or second column, whose scores by a matrix are in `scores`.
template <class P, class T>
TERRACE_HOST_DEVICE Pack<T> score_of(const typename P::template Constants<Pack<T>>& k, const ColumnScores<T>& scores,
                                     i64 row, Pack<T> row_letter, Pack<T> column_letter) {
  if constexpr (by_matrix<P>) return multiply(k.scale, scores.row(row));
  else return P::template score<Pack<T>>(k, row_letter, column_letter);
}

/// One row of every lane: two cells. `masked`: some lanes may be outside the block or the window.
template <class P, bool masked, bool keep, class T>
TERRACE_HOST_DEVICE void compute_row(const RowArrays<T>& rows, i64 row, Running<Pack<T>>& running,
                                     const typename P::template Constants<Pack<T>>& k, const Active<T>& active,
                                     const Reach<T>& reach, T* kept) {
  using V = Pack<T>;
  const i64 at = row * V::lanes;
  const V left = V::load(rows.h + at);
  const V letter = V::load(rows.letters + at);
  const V e = P::column_planes > 1 ? V::load(rows.e + at) : left;

  V scores[2];
  for (int p = 0; p < 2; ++p) {
    scores[p] = score_of<P>(k, rows.scores[p], row, letter, running.letter[p]);
    if constexpr (masked && has_window<P>) {
      scores[p] = select(reach.lanes(row, p), scores[p], V(typename V::Vector{} + static_cast<T>(infinity)));
    }
  }
  Cell<V> first = P::template cell<V>(k, {running.diagonal, running.up[0], left, e, running.f[0]}, scores[0]);
  if constexpr (masked) {
    first.h = select(active.column[0], first.h, left);
    first.e = select(active.column[0], first.e, e);
  }
  Cell<V> second = P::template cell<V>(k, {running.up[0], running.up[1], first.h, first.e, running.f[1]}, scores[1]);
  if constexpr (masked) {
    second.h = select(active.column[1], second.h, first.h);
    second.e = select(active.column[1], second.e, first.e);
  }
  if constexpr (P::report == Report::best) {
    const V best = V::load(rows.best + at);
    V larger = maximum(first.h, second.h);
    if constexpr (masked) larger = select(active.column[0], larger, best);
    maximum(best, larger).store(rows.best + at);
  }
  if constexpr (keep) {
    first.h.store(kept + at);
    second.h.store(kept + rows.count * V::lanes + at);
  }
  second.h.store(rows.h + at);
  if constexpr (P::column_planes > 1) second.e.store(rows.e + at);
  running.diagonal = left;
  running.up[0] = first.h;
  running.up[1] = second.h;
  running.f[0] = first.f;
  running.f[1] = second.f;
}

/// One step: values that the lanes above computed one step before, and the border above lane 0, enter the first rows.
template <class P, bool masked, bool keep, class T>
TERRACE_HOST_DEVICE void compute_step(BandState<T>& band, const BandStream<T>& stream, i64 step,
                                      const typename P::template Constants<Pack<T>>& k) {
  using V = Pack<T>;
  const i64 at = 2 * (step - stream.first);
  Active<T> active;
  Reach<T> reach;
  if constexpr (masked) active = active_lanes(band, step);
  if constexpr (masked && has_window<P>) reach = reach_of<P>(band, step, k);
  ColumnScores<T> scores[2];
  Running<V> running;
  running.diagonal = V::load(band.corner);
  for (int p = 0; p < 2; ++p) {
    running.up[p] = shift_in(V::load(band.bottom_h[p]), stream.top_h[at + p]);
    running.letter[p] = shift_in(V::load(band.column_letters[p]), stream.letters[at + p]);
    running.letter[p].store(band.column_letters[p]);
    if constexpr (by_matrix<P>) fetch_scores(band.profile, band.column_letters[p], band.rows_per_lane, scores[p]);
    if constexpr (P::row_planes > 1) {
      running.f[p] = shift_in(V::load(band.bottom_f[p]), stream.top_f[at + p]);
    } else {
      running.f[p] = running.up[p];
    }
  }
  V corner = running.up[1];
  if constexpr (masked) corner = select(active.column[1], corner, running.diagonal);
  corner.store(band.corner);

  T* kept = keep ? stream.kept + (step - stream.first) * band.rows_per_lane * 2 * V::lanes : nullptr;
  const RowArrays<T> rows{band.rows_per_lane, band.h, band.e, band.best, band.letters, scores};
  for (i64 row = 0; row < rows.count; ++row) {
    compute_row<P, masked, keep>(rows, row, running, k, active, reach, kept);
  }
  for (int p = 0; p < 2; ++p) {
    running.up[p].store(band.bottom_h[p]);
    stream.bottom_h[at + p] = band.bottom_h[p][band.last_lane];
    if constexpr (P::row_planes > 1) {
      running.f[p].store(band.bottom_f[p]);
      stream.bottom_f[at + p] = band.bottom_f[p][band.last_lane];
    }
  }
}

/// The steps in which every cell of the band lies in the window.
template <class P, class T>
TERRACE_HOST_DEVICE ColumnRange steps_in_window(const BandState<T>& band,
                                                const typename P::template Constants<Pack<T>>& k) {
  const i64 window = window_of<P, Pack<T>>(k);
  const i64 most = band.diagonal + band.last_lane * (band.rows_per_lane + 2) + band.rows_per_lane - 1;
  return {(most - window + 1) >> 1, ((band.diagonal - 1 + window) >> 1) + 1};
}

/// Steps in which every lane is inside the block and the window at both columns need no masks.
template <class P, bool keep, class T>
TERRACE_HOST_DEVICE void compute_steps(BandState<T>& band, const BandStream<T>& stream,
                                       const typename P::template Constants<Pack<T>>& k) {
  constexpr i64 lanes = Pack<T>::lanes;
  const bool all_lanes = band.last_lane == lanes - 1;
  i64 begin = all_lanes ? wavefront::minimum(wavefront::maximum(stream.first, lanes - 1), stream.last) : stream.last;
  i64 end = wavefront::minimum(stream.last, band.columns / 2);
  if constexpr (has_window<P>) {
    const ColumnRange inside = steps_in_window<P>(band, k);
    begin = wavefront::minimum(wavefront::maximum(begin, inside.begin), stream.last);
    end = wavefront::minimum(end, inside.end);
  }
  end = wavefront::maximum(begin, end);
  for (i64 step = stream.first; step < begin; ++step) compute_step<P, true, keep>(band, stream, step, k);
  for (i64 step = begin; step < end; ++step) compute_step<P, false, keep>(band, stream, step, k);
  for (i64 step = end; step < stream.last; ++step) compute_step<P, true, keep>(band, stream, step, k);
}

template <class P, class T>
void advance_band(BandState<T>& band, const BandStream<T>& stream, const void* constants) {
  using Wide = typename P::template Constants<i64>;
  const auto k = P::template constants_as<Pack<T>>(*static_cast<const Wide*>(constants));
  if (stream.kept != nullptr) {
    compute_steps<P, true>(band, stream, k);
  } else {
    compute_steps<P, false>(band, stream, k);
  }
}

template <class P>
constexpr BandKernels kernels_of() {
  BandKernels kernels{};
  if constexpr (P::items == Items::letters) {
    kernels.advance_i16 = advance_band<P, i16>;
    kernels.advance_i32 = advance_band<P, i32>;
    kernels.advance_i64 = advance_band<P, i64>;
    if constexpr (requires { typename P::Bits; }) kernels.advance_bits = advance_bits<P>;
  } else if constexpr (P::items == Items::values) {
    kernels.advance_f32 = advance_band<P, float>;
    kernels.advance_f64 = advance_band<P, double>;
  }
  return kernels;
}

BandKernels band_kernels(int problem) {
  BandKernels kernels{};
  Problems::visit(problem, [&]<class P>(P) { kernels = kernels_of<P>(); });
  return kernels;
}

}  // namespace terrace::wavefront::TERRACE_ISA
