// The descriptor of a launch that streams rows of a formula of radius 1 through registers.
#pragma once

#include "kernels/stencil/cell.hpp"
#include "kernels/stencil/cuda/common/stream_rows.hpp"
#include "kernels/stencil/cuda/common/windows.hpp"

namespace terrace::stencil {

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
