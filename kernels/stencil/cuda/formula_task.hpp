// The descriptor of a launch that streams rows of a formula of radius 1 through registers.
#pragma once

#include "kernels/stencil/cell.hpp"
#include "kernels/stencil/cuda/stream_task.hpp"

namespace terrace::stencil {

/// The faces of an axis, with values of the grid's type.
template <class T>
struct FacesOf {
  Face low, high;
  T low_value, high_value;  // of Face::value
};

/// Some levels of formula F in two dimensions.
template <class F, class T>
struct FormulaTask : StreamRows<T, F::fields> {
  typename F::template Constants<T> constants;
  Additions<T> additions;
  FacesOf<T> row_faces, column_faces;  // of axis 0 and of axis 2
  const StencilTask* block;            // has the constant arrays; in device memory
  // The arrays that the formula reads. Constants and additions have their numbers in this list.
  i32 arrays, array[measured::CudaFormulaStream::most_arrays];
  i64 step;  // steps made before
};

}  // namespace terrace::stencil
