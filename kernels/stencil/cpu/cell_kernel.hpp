// The kernels of rows cell by cell: at faces, of every operator, and everywhere of formulas that a job writes, in
// loops of which the compiler makes vectors. Included only by kernel.hpp, and by sources that are compiled at run
// time (cpu/compiled.cpp): all are compiled for an instruction set and define TERRACE_ISA.
#pragma once

#include "kernels/stencil/cpu/blocks.hpp"
#include "kernels/stencil/cpu/rows.hpp"

namespace terrace::stencil::TERRACE_ISA {

/// The place of a cell, for formulas that a job writes.
template <class T>
struct PlaceAt {
  const RowWork<T>& work;
  i64 x;

  TERRACE_HOST_DEVICE i64 index(int axis, int) const { return work.position.index[axis] + (axis == 2 ? x : 0); }
  TERRACE_HOST_DEVICE i64 extent(int axis) const { return work.position.extent[axis]; }
  TERRACE_HOST_DEVICE i64 step() const { return work.position.step; }
};

/// The values around cells that all lie further than the radius from the faces of the last axis.
template <class V, class T>
struct InnerAt : PlaceAt<T> {
  using PlaceAt<T>::work, PlaceAt<T>::x;

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
struct FaceAt : PlaceAt<T> {
  using PlaceAt<T>::work, PlaceAt<T>::x;

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

/// True for formulas that a job writes, of which the compiler makes vectors of cells.
template <class F>
inline constexpr bool by_cells = requires {
  F::by_cells;
};

/// Cells one after another. @tparam plain true if there is no source and no mask
template <class F, bool plain, class T>
void make_cells(const RowWork<T>& work, i64 begin, i64 end) {
  const auto k = *static_cast<const typename F::template Constants<T>*>(work.constants);
  const Additions<T> additions = work.additions;
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (i64 x = begin; x < end; ++x) {
    const InnerAt<T, T> at{{work, x}};
    T made[F::fields];
    F::template cell<T>(k, at, made);
    if constexpr (!plain) {
      add_source(additions, at, made);
      for (int f = 0; f < F::fields; ++f) {
        if (additions.mask >= 0) made[f] = at.array(additions.mask) != 0 ? at(f, 0, 0, 0) : made[f];
      }
    }
    for (int f = 0; f < F::fields; ++f) work.made[f][x] = made[f];
  }
}

/// The same of operators of the list, for which kernel.hpp has packs.
template <class F, class T>
void make_inner_in_packs(const RowWork<T>& work, i64 begin, i64 end);

/// Makes cells that all lie further than the radius from the faces of the last axis.
template <class F, class T>
TERRACE_HOST_DEVICE void make_inner(const RowWork<T>& work, i64 begin, i64 end) {
  if constexpr (by_cells<F>) make_cells<F, F::plain>(work, begin, end);
  else make_inner_in_packs<F>(work, begin, end);
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
  for (i64 x = begin; x < end; ++x) make_cell<F>(work, FaceAt<T>{{work, x}}, x, true);
}

/// Makes a piece of a periodic row, which may go on beyond the grid's ends. Formulas ask for indices in the grid.
template <class F, class T>
void make_periodic(const RowWork<T>& work) {
  if constexpr (by_cells<F>) {
    if (F::uses_index) {
      RowWork<T> piece = work;
      for (i64 x = work.begin, next = x; x < work.end; x = next) {
        const i64 extent = work.position.extent[2], inside = wrapped_index(x, extent), end = x + extent - inside;
        next = end < work.end ? end : work.end;
        piece.position.index[2] = inside - x;
        make_inner<F>(piece, x, next);
      }
      return;
    }
  }
  make_inner<F>(work, work.begin, work.end);
}

template <class F, class T>
void make_row(const RowWork<T>& work) {
  if (work.kept != 0) return copy_cells<F>(work, work.begin, work.end);
  if (F::own_faces && work.at_face != 0) return make_at_face<F>(work, work.begin, work.end, Face::edge);
  if (work.faces.low == Face::periodic) return make_periodic<F>(work);
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

/// The values around a cell of a row of a block.
template <class T, int radius, bool has_planes, int rows>
struct CellOfBlockAt {
  const T* const* around;
  const T* const* arrays;
  int row;
  i64 x;

  TERRACE_HOST_DEVICE T operator()(int field, int d0, int d1, int d2) const {
    constexpr int planes = has_planes ? 2 * radius + 1 : 1, high = rows + 2 * radius;
    const int plane = has_planes ? d0 + radius : 0, line = row + (has_planes ? d1 : d0) + radius;
    return around[(field * planes + plane) * high + line][x + d2];
  }
  TERRACE_HOST_DEVICE T array(int number) const { return arrays[number * rows + row][x]; }
};

/// A block of a formula that a job writes and that does not depend on the place: cell after cell of all rows, of
/// which the compiler makes vectors. @tparam plain true if there is no source and no mask
template <class F, class T, int rows, bool plain>
void make_block_by_cells(const BlockWork<T>& work) {
  constexpr bool has_planes = F::rank == 3;
  constexpr int around = F::fields * (has_planes ? 2 * F::radius + 1 : 1) * (rows + 2 * F::radius);
  const auto k = *static_cast<const typename F::template Constants<T>*>(work.constants);
  const Additions<T> additions = *work.additions;
  const T* from[around];
  for (int i = 0; i < around; ++i) from[i] = work.around[i];
  T* to[F::fields * rows];
  for (int i = 0; i < F::fields * rows; ++i) to[i] = work.made[i];
  const i64 begin = work.begin, end = work.end;
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (i64 x = begin; x < end; ++x) {
    T made[rows][F::fields];
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) {
      const CellOfBlockAt<T, F::radius, has_planes, rows> at{from, work.arrays, row, x};
      F::template cell<T>(k, at, made[row]);
      if constexpr (!plain) {
        add_source(additions, at, made[row]);
        for (int f = 0; f < F::fields; ++f) {
          if (additions.mask >= 0) made[row][f] = at.array(additions.mask) != 0 ? at(f, 0, 0, 0) : made[row][f];
        }
      }
    }
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) {
      for (int f = 0; f < F::fields; ++f) to[f * rows + row][x] = made[row][f];
    }
  }
}

}  // namespace terrace::stencil::TERRACE_ISA
