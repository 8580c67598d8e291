// The constant arrays that a kernel of windows reads, and what else all of its launches share.
#pragma once

#include <algorithm>
#include <iterator>

#include "kernels/stencil/cuda/common/windows.hpp"
#include "kernels/stencil/stencil.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {

/// The places that the kernel has for them (FormulaArrays): none, the formula's own one, also those of all formulas,
/// or also its other ones.
inline i32 formula_arrays(const StencilSpec& spec) {
  const std::size_t own = spec.written ? own_arrays(*spec.written).size() : spec.given.empty() ? 0 : 1;
  if (own > 1) return FormulaArrays::of_own(static_cast<i32>(own) - 1) + 1;
  return spec.source >= 0 || spec.mask >= 0 ? FormulaArrays::count : static_cast<i32>(own);
}

/// Their numbers, or -1, by their places; a formula of the list sets its own one.
inline void number_arrays(const StencilSpec& spec, i32 (&array)[FormulaArrays::most]) {
  std::fill(std::begin(array), std::end(array), -1);
  array[FormulaArrays::source] = spec.source;
  array[FormulaArrays::mask] = spec.mask;
  if (!spec.written) return;
  i32 number = 0;
  for (const int own : own_arrays(*spec.written)) array[FormulaArrays::of_own(number++)] = own;
}

/// The faces of an axis in the grid's type.
template <class T>
FacesOf<T> faces_of(const StencilSpec& spec, std::size_t axis) {
  const Faces& faces = spec.faces[axis];
  return {faces.low, faces.high, static_cast<T>(faces.low_value), static_cast<T>(faces.high_value)};
}

}  // namespace terrace::stencil
