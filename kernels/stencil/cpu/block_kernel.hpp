// The kernels of blocks of rows on packs. Included only by kernel.hpp.
#pragma once

#include "kernels/stencil/cpu/blocks.hpp"
#include "kernels/values/cpu_joined.hpp"

namespace terrace::stencil::TERRACE_ISA {

using values::TERRACE_ISA::Pack;

/// The values around the pack of a row of a block. @tparam middle the radius along axis 1
template <class T, int radius, bool has_planes, int rows>
struct BlockAt {
  const T* const* around;
  const T* const* arrays;
  int row;
  i64 x;

  TERRACE_HOST_DEVICE Pack<T> operator()(int field, int d0, int d1, int d2) const {
    constexpr int planes = has_planes ? 2 * radius + 1 : 1, high = rows + 2 * radius;
    const int plane = has_planes ? d0 + radius : 0, line = row + (has_planes ? d1 : d0) + radius;
    return Pack<T>::load(around[(field * planes + plane) * high + line] + x + d2);
  }
  TERRACE_HOST_DEVICE Pack<T> array(int number) const { return Pack<T>::load(arrays[number * rows + row] + x); }
};

/// Constants as a local object, whose members stay in registers.
template <class F, class T>
TERRACE_HOST_DEVICE auto local_constants(const void* constants) {
  if constexpr (requires { F::template local<T>(constants); }) return F::template local<T>(constants);
  else return *static_cast<const typename F::template Constants<T>*>(constants);
}

/// True for sums whose rows share sums of rows.
template <class F>
inline constexpr bool shares_rows = false;
template <int radius>
inline constexpr bool shares_rows<PatternProduct<radius>> = true;

/// The packs of a block of a separable sum. @param at of the block's first row
template <class F, int rows, class V, class T, class At>
TERRACE_HOST_DEVICE void make_products(const typename F::template Constants<T>& k, const At& at, V (&made)[rows][1]) {
  V along[rows + 2 * F::radius];
#pragma GCC unroll 16
  for (int line = 0; line < rows + 2 * F::radius; ++line) along[line] = F::template along<V>(k, at, line - F::radius);
#pragma GCC unroll 4
  for (int row = 0; row < rows; ++row) made[row][0] = F::down(k, along + row);
}

#if defined(__AVX512F__)
/// The values around a pack of a row of a block whose rows slide through registers: no load crosses a cache line.
template <class T, int radius, bool has_planes, int rows>
struct SlidingAt {
  const Pack<T>*before, *here, *after;  // of each row around the block
  int row;

  TERRACE_HOST_DEVICE Pack<T> operator()(int, int d0, int d1, int d2) const {
    constexpr int high = rows + 2 * radius;
    const int line = (has_planes ? (d0 + radius) * high : 0) + row + (has_planes ? d1 : d0) + radius;
    if (d2 == 0) return here[line];
    if (d2 < 0) return joined_from(before[line], here[line], static_cast<int>(Pack<T>::lanes) + d2);
    return joined_from(here[line], after[line], d2);
  }
};

/// The inner part of a row of a sum over a pattern: begins at a multiple of the lanes, ends a pack before `end`.
/// @return one past the last cell made
template <class F, class T, int rows>
TERRACE_HOST_DEVICE i64 make_sliding(const typename F::template Constants<T>& k, const T* const* from, T* const* to,
                                     i64 begin, i64 end) {
  using V = Pack<T>;
  constexpr bool has_planes = F::rank == 3;
  constexpr int high = rows + 2 * F::radius, around = (has_planes ? 2 * F::radius + 1 : 1) * high;
  V before[around], here[around], after[around];
#pragma GCC unroll 32
  for (int line = 0; line < around; ++line) {
    before[line] = V::load(from[line] + begin - V::lanes);
    here[line] = V::load(from[line] + begin);
  }
  i64 x = begin;
  for (; x + 2 * V::lanes <= end; x += V::lanes) {
#pragma GCC unroll 32
    for (int line = 0; line < around; ++line) after[line] = V::load(from[line] + x + V::lanes);
    if constexpr (shares_rows<F>) {
      V made[rows][1];
      make_products<F, rows, V, T>(k, SlidingAt<T, F::radius, has_planes, rows>{before, here, after, 0}, made);
#pragma GCC unroll 4
      for (int row = 0; row < rows; ++row) made[row][0].store(to[row] + x);
    } else {
#pragma GCC unroll 4
      for (int row = 0; row < rows; ++row) {
        V made[1];
        F::template cell<V>(k, SlidingAt<T, F::radius, has_planes, rows>{before, here, after, row}, made);
        made[0].store(to[row] + x);
      }
    }
#pragma GCC unroll 32
    for (int line = 0; line < around; ++line) before[line] = here[line], here[line] = after[line];
  }
  return x;
}
#endif

/// True for sums whose rows may slide through registers.
template <class F>
inline constexpr bool slides = false;
template <int rank, Shape shape, int radius>
inline constexpr bool slides<PatternSum<rank, shape, radius>> = rank == 2 || radius == 1;
template <int radius>
inline constexpr bool slides<PatternProduct<radius>> = radius == 1;

template <class F, class T, int rows, bool plain>
void make_block(const BlockWork<T>& work) {
  using V = Pack<T>;
  constexpr bool has_planes = F::rank == 3;
  constexpr int around = F::fields * (has_planes ? 2 * F::radius + 1 : 1) * (rows + 2 * F::radius);
  const auto k = local_constants<F, T>(work.constants);
  const Additions<T> additions = *work.additions;
  const T* from[around];
  for (int i = 0; i < around; ++i) from[i] = work.around[i];
  T* to[F::fields * rows];
  for (int i = 0; i < F::fields * rows; ++i) to[i] = work.made[i];
  const auto make = [&](i64 x) __attribute__((always_inline)) {
    V made[rows][F::fields];
    if constexpr (shares_rows<F>) {
      make_products<F, rows, V, T>(k, BlockAt<T, F::radius, has_planes, rows>{from, work.arrays, 0, x}, made);
    }
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) {
      const BlockAt<T, F::radius, has_planes, rows> at{from, work.arrays, row, x};
      if constexpr (!shares_rows<F>) F::template cell<V>(k, at, made[row]);
      if constexpr (!plain) {
        add_source(additions, at, made[row]);
        for (int f = 0; f < F::fields; ++f) {
          if (additions.mask >= 0) {
            made[row][f] = masked(at.array(additions.mask), at(f, 0, 0, 0), made[row][f]);
          }
        }
      }
    }
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) {
      for (int f = 0; f < F::fields; ++f) made[row][f].store(to[f * rows + row] + x);
    }
  };
  const i64 end = work.end - V::lanes;
  i64 x = work.begin;
#if defined(__AVX512F__)
  if constexpr (plain && slides<F>) {
    // Rows of tiles lie at multiples of the lanes: the first pack overlaps the second one.
    const i64 aligned = (work.begin + V::lanes) & -V::lanes;
    if (aligned + 3 * V::lanes <= work.end) {
      make(x);
      x = make_sliding<F, T, rows>(k, from, to, aligned, work.end);
    }
  }
#endif
  for (; x <= end; x += V::lanes) make(x);
  if (x < work.end) make(end);
}

/// The constant arrays at the pack of a row of a block.
template <class T, int rows>
struct BlockArrays {
  const T* const* arrays;
  int row;
  i64 x;

  TERRACE_HOST_DEVICE Pack<T> array(int number) const { return Pack<T>::load(arrays[number * rows + row] + x); }
};

/// A separable sum in blocks of packs: the sums of all rows around the block, then those of the columns.
template <class T, int rows, int packs>
TERRACE_HOST_DEVICE void make_separable(const BlockWork<T>& work, const Terms<T>& terms, i64 x) {
  using V = Pack<T>;
  const i32 span = terms.count / 2, radius = span / 2;
  V along[rows + 2 * most_radius][packs];
  for (i32 line = 0; line < rows + 2 * radius; ++line) {
    V sum[packs] = {};
    for (i32 j = 0; j < span; ++j) {
      const V coefficient(terms.list[j].coefficient);
      const T* values = work.around[line] + x + j - radius;
#pragma GCC unroll 4
      for (int p = 0; p < packs; ++p) {
        const V value = V::load(values + p * V::lanes);
        sum[p] = j == 0 ? times(coefficient, value) : fused(coefficient, value, sum[p]);
      }
    }
#pragma GCC unroll 4
    for (int p = 0; p < packs; ++p) along[line][p] = sum[p];
  }
  for (int row = 0; row < rows; ++row) {
    V sum[packs] = {};
    for (i32 i = 0; i < span; ++i) {
      const V coefficient(terms.list[span + i].coefficient);
#pragma GCC unroll 4
      for (int p = 0; p < packs; ++p) {
        sum[p] = i == 0 ? times(coefficient, along[row][p]) : fused(coefficient, along[row + i][p], sum[p]);
      }
    }
#pragma GCC unroll 4
    for (int p = 0; p < packs; ++p) {
      V made[1] = {sum[p]};
      const i64 cell = x + p * V::lanes;
      const BlockArrays<T, rows> at{work.arrays, row, cell};
      add_source(*work.additions, at, made);
      if (work.additions->mask >= 0) {
        made[0] = masked(at.array(work.additions->mask), V::load(work.around[row + radius] + cell), made[0]);
      }
      made[0].store(work.made[row] + cell);
    }
  }
}

template <class T, int rows>
void make_separable_block(const BlockWork<T>& work) {
  constexpr i64 lanes = Pack<T>::lanes;
  const Terms<T>& terms = static_cast<const SeparableSum::Constants<T>*>(work.constants)->terms;
  i64 x = work.begin;
  for (; x + 4 * lanes <= work.end; x += 4 * lanes) make_separable<T, rows, 4>(work, terms, x);
  for (; x + lanes <= work.end; x += lanes) make_separable<T, rows, 1>(work, terms, x);
  if (x < work.end) make_separable<T, rows, 1>(work, terms, work.end - lanes);
}

/// A kernel for either case: with a source or a mask, or without.
template <class F, class T, int rows>
void make_any_block(const BlockWork<T>& work) {
  if (work.additions->source < 0 && work.additions->mask < 0) make_block<F, T, rows, true>(work);
  else make_block<F, T, rows, false>(work);
}

template <class F, class T>
constexpr BlockKernelsOf<T> block_kernels_of() {
  if constexpr (requires { F::is_separable; }) {
    return {make_separable_block<T, 1>, make_separable_block<T, 2>, make_separable_block<T, 4>, Pack<T>::lanes};
  } else if constexpr (F::radius == 0) return {};
  else return {make_any_block<F, T, 1>, make_any_block<F, T, 2>, make_any_block<F, T, 4>, Pack<T>::lanes};
}

}  // namespace terrace::stencil::TERRACE_ISA
