// The constant arrays that a kernel of windows of rows reads.
#pragma once

#include "kernels/stencil/cuda/rows/formula_task.hpp"
#include "kernels/stencil/stencil.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {

/// Their number (FormulaArrays): none, the formula's own one, or all.
inline i32 formula_arrays(const StencilSpec& spec) {
  if (spec.source >= 0 || spec.mask >= 0) return FormulaArrays::count;
  const bool reads_own = spec.written ? !own_arrays(*spec.written).empty() : !spec.given.empty();
  return reads_own ? 1 : 0;
}

}  // namespace terrace::stencil
