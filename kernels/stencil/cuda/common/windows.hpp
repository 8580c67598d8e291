// What kernels that stream windows of rows or planes (rows/formula_level.cuh, planes/window.cuh) have in common:
// their faces and their constant arrays.
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

/// The constant arrays of a kernel: the formula's own one, those of all formulas, and further ones of a formula that
/// a job writes.
struct FormulaArrays {
  static constexpr i32 own = 0, source = 1, mask = 2, count = 3, most_own = 4, most = count + most_own - 1;

  /// The place of own array `number`, counted from 0.
  TERRACE_HOST_DEVICE static constexpr i32 of_own(i32 number) { return number == 0 ? own : count + number - 1; }
};

}  // namespace terrace::stencil
