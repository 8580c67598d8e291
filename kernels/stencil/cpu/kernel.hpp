// The kernels of stencils on packs. Included only by sse2.cpp, avx2.cpp and avx512.cpp, each of which is compiled for
// its instruction set and defines TERRACE_ISA.
#pragma once

#include "kernels/stencil/cpu/block_kernel.hpp"
#include "kernels/stencil/cpu/rows.hpp"
#include "kernels/values/cpu_pack.hpp"

namespace terrace::stencil::TERRACE_ISA {

/// The values around cells that all lie further than the radius from the faces of the last axis.
template <class V, class T>
struct InnerAt {
  const RowWork<T>& work;
  i64 x;

  TERRACE_HOST_DEVICE V operator()(int field, int d0, int d1, int d2) const {
    return get(work.row(field, d0, d1) + x + d2);
  }
  TERRACE_HOST_DEVICE V array(int number) const { return get(work.arrays[number] + x); }

  TERRACE_HOST_DEVICE static V get(const T* value) {
    if constexpr (sizeof(V) == sizeof(T)) return *value;
    else return V::load(value);
  }
};

/// The values around a cell next to a face of the last axis.
template <class T>
struct FaceAt {
  const RowWork<T>& work;
  i64 x;

  TERRACE_HOST_DEVICE T operator()(int field, int d0, int d1, int d2) const {
    const T* row = work.row(field, d0, d1);
    for (int i = 0; i < 4; ++i) {
      if (row == work.outside[i]) return row[x];
    }
    const i64 index = mapped_index(x + d2, work.position.extent[2], work.faces.low, work.faces.high);
    if (index == low_outside) return static_cast<T>(work.faces.low_value);
    if (index == high_outside) return static_cast<T>(work.faces.high_value);
    return row[index];
  }
  TERRACE_HOST_DEVICE T array(int number) const { return work.arrays[number][x]; }
};

/// Makes one cell. @param at_face true if the cell is within the radius of a face
template <class F, class T, class At>
TERRACE_HOST_DEVICE void make_cell(const RowWork<T>& work, const At& at, i64 x, bool at_face) {
  const auto& k = *static_cast<const typename F::template Constants<T>*>(work.constants);
  T made[F::fields];
  if (work.additions.mask >= 0 && at.array(work.additions.mask) != 0) {
    for (int f = 0; f < F::fields; ++f) work.made[f][x] = work.row(f, 0, 0)[x];
    return;
  }
  if constexpr (F::own_faces) {
    if (at_face) {
      Position position = work.position;
      position.index[2] = x;
      F::rim_cell(k, at, position, made);
    } else {
      F::template cell<T>(k, at, made);
    }
  } else {
    F::template cell<T>(k, at, made);
  }
  add_source(work.additions, at, made);
  for (int f = 0; f < F::fields; ++f) work.made[f][x] = made[f];
}

/// Makes a pack of cells.
template <class F, class T>
TERRACE_HOST_DEVICE void make_pack(const RowWork<T>& work, i64 x) {
  using V = Pack<T>;
  const auto& k = *static_cast<const typename F::template Constants<T>*>(work.constants);
  const InnerAt<V, T> at{work, x};
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
    const InnerAt<V, T> at{work, cell};
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
TERRACE_HOST_DEVICE void make_inner(const RowWork<T>& work, i64 begin, i64 end) {
  if (end - begin < Pack<T>::lanes) {
    for (i64 x = begin; x < end; ++x) make_cell<F>(work, InnerAt<T, T>{work, x}, x, false);
  } else if constexpr (requires { F::is_linear; }) {
    make_linear(work, begin, end);
  } else {
    make_packs<F>(work, begin, end);
  }
}

template <class F, class T>
void copy_cells(const RowWork<T>& work, i64 begin, i64 end) {
  if (end <= begin) return;
  for (int f = 0; f < F::fields; ++f) {
    __builtin_memcpy(work.made[f] + begin, work.row(f, 0, 0) + begin,
                     static_cast<unsigned long>(end - begin) * sizeof(T));
  }
}

/// Makes the cells within the radius of a face of the last axis.
template <class F, class T>
void make_at_face(const RowWork<T>& work, i64 begin, i64 end, Face face) {
  if (!F::own_faces && face == Face::fixed) {
    copy_cells<F>(work, begin, end);
    return;
  }
  for (i64 x = begin; x < end; ++x) make_cell<F>(work, FaceAt<T>{work, x}, x, true);
}

template <class F, class T>
void make_row(const RowWork<T>& work) {
  if (work.kept != 0) return copy_cells<F>(work, work.begin, work.end);
  if (F::own_faces && work.at_face != 0) return make_at_face<F>(work, work.begin, work.end, Face::edge);
  if (work.faces.low == Face::periodic) return make_inner<F>(work, work.begin, work.end);
  // A cell of a narrow grid may be near both faces: it keeps its value if either is fixed.
  const i64 extent = work.position.extent[2], radius = work.radius;
  const bool narrow = extent < 2 * radius;
  const i64 low_end = radius < work.end ? radius : work.end, high = extent - radius;
  const i64 high_begin = high > work.begin ? high : work.begin;
  if (narrow && !F::own_faces) {
    for (i64 x = work.begin; x < work.end; ++x) {
      if (is_kept(x, extent, radius, work.faces.low, work.faces.high)) copy_cells<F>(work, x, x + 1);
      else make_at_face<F>(work, x, x + 1, Face::edge);
    }
    return;
  }
  make_at_face<F>(work, work.begin, low_end, work.faces.low);
  const i64 inner_begin = low_end > work.begin ? low_end : work.begin;
  const i64 inner_end = high_begin < work.end ? high_begin : work.end;
  if (inner_end > inner_begin) make_inner<F>(work, inner_begin, inner_end);
  make_at_face<F>(work, high_begin > inner_begin ? high_begin : inner_begin, work.end, work.faces.high);
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

template <class... Fs>
RowKernels row_kernels_at(int formula, OperatorList<Fs...>) {
  static constexpr RowKernels kernels[] = {{{make_row<Fs, float>, row_change<float>, all_finite<float>},
                                            {make_row<Fs, double>, row_change<double>, all_finite<double>}}...};
  return kernels[formula];
}

RowKernels row_kernels(int formula) { return row_kernels_at(formula, Formulas{}); }

}  // namespace terrace::stencil::TERRACE_ISA
