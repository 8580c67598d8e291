// Faces and constant arrays of kernels that stream windows of rows or planes (rows/formula_level.cuh,
// planes/window.cuh).
#pragma once

#include "kernels/stencil/boundary.hpp"

namespace terrace::stencil {

/// The faces of an axis, with values of the grid's type.
template <class T>
struct FacesOf {
  Face low, high;
  T low_value, high_value;  // of Face::value
};

/// The value beyond a face. @param outer the outermost value in the grid; inner: the one next to it
template <class T>
TERRACE_HOST_DEVICE T beyond_face(Face face, T outside, T outer, T inner) {
  return face == Face::value ? outside : face == Face::reflect ? inner : outer;
}

/// The index of a row of a launch that may lie beyond the grid's ends: on a periodic axis that of the row at the
/// other end; else that of the last row, as rows beyond contribute to nothing, but formulas may divide by distances
/// to the ends.
template <class Task>
TERRACE_HOST_DEVICE i64 row_index(const Task& task, i64 row) {
  if (task.keeps_rows != 0) return row < 0 ? 0 : row < task.extent ? row : task.extent - 1;
  while (row < 0) row += task.extent;
  while (row >= task.extent) row -= task.extent;
  return row;
}

/// The constant arrays of a kernel: the formula's own one, those of all formulas, and further ones of a formula that
/// a job writes.
struct FormulaArrays {
  static constexpr i32 own = 0, source = 1, mask = 2, count = 3, most_own = 4, most = count + most_own - 1;

  /// The place of own array `number`, counted from 0.
  TERRACE_HOST_DEVICE static constexpr i32 of_own(i32 number) { return number == 0 ? own : count + number - 1; }
  /// True if it is one of a source or a mask, which formulas may have or not.
  TERRACE_HOST_DEVICE static constexpr bool is_addition(i32 place) { return place == source || place == mask; }
};

/// True if a kernel of formula F that reads arrays at so many places looks whether there is a source or a mask. A
/// formula that a job writes knows it.
template <class F>
TERRACE_HOST_DEVICE constexpr bool has_additions(i32 arrays) {
  if constexpr (requires { F::adds; }) return F::adds && arrays > FormulaArrays::source;
  return arrays > FormulaArrays::source;
}

}  // namespace terrace::stencil
