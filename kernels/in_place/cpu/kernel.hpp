// The kernel of in-place sweeps on packs (its method: strip.hpp). Included only by sse2.cpp, avx2.cpp
// and avx512.cpp, each of which is compiled for its instruction set and defines TERRACE_ISA.
#pragma once

#include "kernels/in_place/cpu/strip.hpp"
#include "kernels/in_place/problem_list.hpp"
#include "kernels/values/cpu_pack.hpp"

namespace terrace::in_place::TERRACE_ISA {

using namespace values::TERRACE_ISA;

/// The values that the passes of a band keep from iteration to iteration: those of the rows above, at and below that
/// the next step needs, and the last result. Without corners `below[0]` is the value below; the rest is unused.
template <class V>
struct InPlacePasses {
  V self[band_passes], made[band_passes];
  V up_left[band_passes], up[band_passes];
  V below[3][band_passes];  // to the right, below, to the left

  template <class Visit>
  TERRACE_HOST_DEVICE void for_each(const Visit& visit) {
    for (int u = 0; u < band_passes; ++u) {
      V* const all[in_place_registers] = {self + u,     made + u,     up_left + u, up + u,
                                          below[0] + u, below[1] + u, below[2] + u};
      for (int k = 0; k < in_place_registers; ++k) visit(*all[k], k * band_passes + u);
    }
  }
};

/// The lanes whose cell of pass u at step q lies inside the rim.
template <bool corners, class T>
TERRACE_HOST_DEVICE Mask<T> inner_lanes(const InPlaceStrip<T>& strip, i64 u, i64 q) {
  constexpr int shift = corners ? 1 : 0;  // of a division by the lag
  const i64 row = strip.first_row + u;
  const i64 least = values::maximum(row + 2 - strip.rows, (q + 2 - strip.columns + shift) >> shift);
  const i64 most = values::minimum(row - 1, (q - 1) >> shift);
  return lanes_between<T>(least, most);
}

/// Pass u of an iteration. @param above result of the pass before at the cell's column, with corners one further
/// @param beside its result for the cell's own row, one column further
template <class P, bool masked, class T>
TERRACE_HOST_DEVICE void make_cells(const InPlaceStrip<T>& strip, InPlacePasses<Pack<T>>& passes,
                                    const typename P::template Constants<T>& k, int u, i64 t, Pack<T> above,
                                    Pack<T> beside) {
  using V = Pack<T>;
  constexpr i64 lag = lag_of(P::corners);
  const i64 q = t - lag * u;
  Neighbourhood<V> n;
  if constexpr (P::corners) {
    n = {passes.up_left[u],  passes.up[u],      above, passes.made[u], passes.self[u], beside, passes.below[2][u],
         passes.below[1][u], passes.below[0][u]};
  } else {
    n = {above, above, above, passes.made[u], passes.self[u], beside, above, passes.below[0][u], above};
  }
  V made = cell_of_values<P, V>(k, n);
  if constexpr (masked) {
    made = select(inner_lanes<P::corners, T>(strip, u, q), made, n.self);
    if (u >= strip.live) made = n.up;
  }
  if constexpr (P::corners) {
    passes.up_left[u] = n.up;
    passes.up[u] = above;
    passes.below[2][u] = n.down;
    passes.below[1][u] = n.down_right;
  }
  passes.self[u] = beside;
  passes.made[u] = made;
  passes.below[0][u] = shift_in(made, strip.in[u + 1][q + lag]);
}

template <class P, bool masked, class T>
TERRACE_HOST_DEVICE void make_strip(InPlaceStrip<T>& strip, const typename P::template Constants<T>& k) {
  using V = Pack<T>;
  constexpr i64 lag = lag_of(P::corners);
  InPlacePasses<V> passes;
  passes.for_each([&](V& pack, int at) { pack = V::load(strip.registers + at * V::lanes); });
  const i64 length = strip.end - strip.begin;
  T* out = strip.out;
  T* stored = strip.state + (strip.begin - lag * (band_passes - 1)) * V::lanes;
  const T* loaded = strip.state + (strip.begin + lag - 1) * V::lanes;
  for (i64 t = strip.begin; t < strip.end; ++t) {
    // Each pass takes the result of the pass before of an iteration ago, so the last pass is first.
#pragma GCC unroll 8
    for (int u = band_passes - 1; u > 0; --u) {
      make_cells<P, masked>(strip, passes, k, u, t, passes.made[u - 1], passes.below[P::corners ? 2 : 0][u - 1]);
    }
    const V above = V::load(loaded);
    const V own = P::corners ? passes.up_left[0] : above;
    make_cells<P, masked>(strip, passes, k, 0, t, above, shift_in(own, strip.in[0][t + 1]));
#pragma GCC unroll 8
    for (int u = 0; u < band_passes; ++u) passes.made[u].store(out + u * length * V::lanes);
    passes.made[band_passes - 1].store(stored);
    out += V::lanes;
    stored += V::lanes;
    loaded += V::lanes;
  }
  passes.for_each([&](V& pack, int at) { pack.store(strip.registers + at * V::lanes); });
}

/// Strips in which every lane is inside the rim need no masks.
template <class P, class T>
void advance_in_place(InPlaceStrip<T>& strip, const void* constants) {
  const auto k = P::template constants_as<T>(*static_cast<const typename P::template Constants<double>*>(constants));
  constexpr i64 lag = lag_of(P::corners), lanes = Pack<T>::lanes;
  const bool rows_inside = strip.first_row >= lanes && strip.first_row + band_passes + 1 < strip.rows;
  const bool columns_inside = strip.begin >= lag * (band_passes + lanes) && strip.end + 1 < strip.columns;
  if (rows_inside && columns_inside && strip.live == band_passes) {
    make_strip<P, false>(strip, k);
  } else {
    make_strip<P, true>(strip, k);
  }
}

InPlaceKernels in_place_kernels(int problem) {
  InPlaceKernels kernels{};
  InPlaceProblems::visit(problem, [&]<class P>(P) {
    kernels = {advance_in_place<P, float>, advance_in_place<P, double>};
  });
  return kernels;
}

}  // namespace terrace::in_place::TERRACE_ISA
