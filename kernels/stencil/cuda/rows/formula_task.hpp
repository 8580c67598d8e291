// The descriptor of a launch that streams rows of a formula of radius 1 through registers.
#pragma once

#include "kernels/stencil/cell.hpp"
#include "kernels/stencil/cuda/common/stream_rows.hpp"

namespace terrace::stencil {

/// The faces of an axis, with values of the grid's type.
template <class T>
struct FacesOf {
  Face low, high;
  T low_value, high_value;  // of Face::value
};

/// The constant arrays of a kernel: the formula's own one, those of all formulas, and further ones of a formula that
/// a job writes.
struct FormulaArrays {
  static constexpr i32 own = 0, source = 1, mask = 2, count = 3, most_own = 4, most = count + most_own - 1;

  /// The place of own array `number`, counted from 0.
  TERRACE_HOST_DEVICE static constexpr i32 of_own(i32 number) { return number == 0 ? own : count + number - 1; }
};

/// Some levels of formula F in two dimensions.
template <class F, class T>
struct FormulaTask : StreamRows<T, F::fields> {
  typename F::template Constants<T> constants;
  Additions<T> additions;
  FacesOf<T> row_faces, column_faces;  // of axis 0 and of axis 2
  const StencilTask* block;            // has the constant arrays; in device memory
  i32 array[FormulaArrays::most];      // numbers of constant arrays, or -1
  i64 step;                            // steps made before
};

}  // namespace terrace::stencil
