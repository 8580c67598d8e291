// The kernels of stencils on packs, and of formulas that a job writes. Included only by list_kernels.hpp, and by
// sources that are compiled at run time (cpu/compiled.cpp): all are compiled for an instruction set and define
// TERRACE_ISA.
#pragma once

#include "kernels/stencil/cpu/block_kernel.hpp"
#include "kernels/stencil/cpu/cell_kernel.hpp"
#include "kernels/values/cpu_pack.hpp"

namespace terrace::stencil::TERRACE_ISA {

/// Makes a pack of cells.
template <class F, class T>
TERRACE_HOST_DEVICE void make_pack(const RowWork<T>& work, i64 x) {
  using V = Pack<T>;
  const auto& k = *static_cast<const typename F::template Constants<T>*>(work.constants);
  const InnerAt<V, T> at{{work, x}};
  V made[F::fields];
  F::template cell<V>(k, at, made);
  add_source(work.additions, at, made);
  for (int f = 0; f < F::fields; ++f) {
    if (work.additions.mask >= 0) made[f] = masked(at.array(work.additions.mask), at(f, 0, 0, 0), made[f]);
    made[f].store(work.made[f] + x);
  }
}

/// Makes packs one after another over [begin, end), at least a pack; the last one may overlap the one before.
template <class F, class T>
TERRACE_HOST_DEVICE void make_packs(const RowWork<T>& work, i64 begin, i64 end) {
  constexpr i64 lanes = Pack<T>::lanes;
  for (i64 x = begin; x + lanes <= end; x += lanes) make_pack<F>(work, x);
  if ((end - begin) % lanes != 0) make_pack<F>(work, end - lanes);
}

/// A sum over offsets in blocks of packs: the terms one after another, the packs of a block side by side.
/// @tparam numbers true if no coefficient is an array
template <int packs, bool numbers, class T>
TERRACE_HOST_DEVICE void make_sums(const RowWork<T>& work, const Terms<T>& terms, i64 x) {
  using V = Pack<T>;
  V sum[packs] = {};
  for (i32 i = 0; i < terms.count; ++i) {
    const Term<T>& term = terms.list[i];
    const T* values = work.terms[i] + x;
    const V coefficient(term.coefficient);
#pragma GCC unroll 8
    for (int p = 0; p < packs; ++p) {
      const V value = V::load(values + p * V::lanes);
      const V factor = numbers || term.array < 0 ? coefficient : V::load(work.arrays[term.array] + x + p * V::lanes);
      sum[p] = i == 0 ? times(factor, value) : fused(factor, value, sum[p]);
    }
  }
#pragma GCC unroll 8
  for (int p = 0; p < packs; ++p) {
    V made[1] = {sum[p]};
    const i64 cell = x + p * V::lanes;
    const InnerAt<V, T> at{{work, cell}};
    add_source(work.additions, at, made);
    if (work.additions.mask >= 0) made[0] = masked(at.array(work.additions.mask), at(0, 0, 0, 0), made[0]);
    made[0].store(work.made[0] + cell);
  }
}

template <bool numbers, class T>
void make_all_sums(const RowWork<T>& work, const Terms<T>& terms, i64 begin, i64 end) {
  constexpr i64 lanes = Pack<T>::lanes;
  i64 x = begin;
  for (; x + 8 * lanes <= end; x += 8 * lanes) make_sums<8, numbers>(work, terms, x);
  for (; x + lanes <= end; x += lanes) make_sums<1, numbers>(work, terms, x);
  if (x < end) make_sums<1, numbers>(work, terms, end - lanes);
}

template <class T>
void make_linear(const RowWork<T>& work, i64 begin, i64 end) {
  const Terms<T>& terms = static_cast<const LinearSum::Constants<T>*>(work.constants)->terms;
  bool numbers = true;
  for (i32 i = 0; i < terms.count; ++i) {
    const i32* offset = terms.list[i].offset;
    work.terms[i] = work.row(0, offset[0], offset[1]) + offset[2];
    numbers = numbers && terms.list[i].array < 0;
  }
  if (numbers) make_all_sums<true>(work, terms, begin, end);
  else make_all_sums<false>(work, terms, begin, end);
}

template <class F, class T>
void make_inner_in_packs(const RowWork<T>& work, i64 begin, i64 end) {
  if (end - begin < Pack<T>::lanes) {
    for (i64 x = begin; x < end; ++x) make_cell<F>(work, InnerAt<T, T>{{work, x}}, x, false);
  } else if constexpr (requires { F::is_linear; }) {
    make_linear(work, begin, end);
  } else {
    make_packs<F>(work, begin, end);
  }
}

/// Lanes side by side.
template <class T>
double row_change(const T* before, const T* after, i64 count, Norm norm) {
  double total = 0;
  for (i64 begin = 0; begin < count; begin += change_group) {
    double lane[change_lanes] = {};
    const i64 end = begin + change_group < count ? begin + change_group : count;
    i64 i = begin;
    for (; i + change_lanes <= end; i += change_lanes) {
      for (i64 l = 0; l < change_lanes; ++l) {
        const T difference = after[i + l] - before[i + l];
        lane[l] = with_difference(lane[l], static_cast<double>(difference), norm);
      }
    }
    for (i64 l = 0; i + l < end; ++l) {
      const T difference = after[i + l] - before[i + l];
      lane[l] = with_difference(lane[l], static_cast<double>(difference), norm);
    }
    for (i64 half = change_lanes / 2; half > 0; half /= 2) {
      for (i64 l = 0; l < half; ++l) lane[l] = joined(lane[l], lane[l + half], norm);
    }
    total = joined(total, lane[0], norm);
  }
  return total;
}

/// Lanes side by side: value - value is 0 or NaN, which a sum keeps.
template <class T>
bool all_finite(const T* values, i64 count) {
  constexpr i64 lanes = 32;
  T lane[lanes] = {};
  i64 i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (i64 l = 0; l < lanes; ++l) lane[l] += values[i + l] - values[i + l];
  }
  for (i64 l = 0; i + l < count; ++l) lane[l] += values[i + l] - values[i + l];
  T sum = 0;
  for (i64 l = 0; l < lanes; ++l) sum += lane[l];
  return sum == 0;
}

}  // namespace terrace::stencil::TERRACE_ISA
