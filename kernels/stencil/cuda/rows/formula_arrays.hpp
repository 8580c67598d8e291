// The constant arrays that a kernel of windows of rows reads.
#pragma once

#include "kernels/stencil/cuda/rows/formula_task.hpp"
#include "kernels/stencil/stencil.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {

/// Their number (FormulaArrays): none, the formula's own one, also those of all formulas, or all.
inline i32 formula_arrays(const StencilSpec& spec) {
  const std::size_t own = spec.written ? own_arrays(*spec.written).size() : spec.given.empty() ? 0 : 1;
  if (own > 1) return FormulaArrays::most;
  return spec.source >= 0 || spec.mask >= 0 ? FormulaArrays::count : static_cast<i32>(own);
}

}  // namespace terrace::stencil
