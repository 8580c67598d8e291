// Makes the kernels of a formula on CUDA.
#pragma once

#include <memory>

#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// The kernels that make steps of a formula.
enum class Way {
  steps,         // one step at a time: every formula
  rows,          // rows stream through registers: partial sums of stars and boxes, separable sums
  formula_rows,  // the same of windows of rows: formulas of radius 1 in two dimensions, and sums of that radius
  planes,        // planes stream through registers: sums in three dimensions, and cells in two parts
  box_terms,     // large boxes, term by term
  box_products   // large boxes, by matrix products
};

/// Blocks of formula F on values of type T; defined in the source that the build makes for both (cuda/formula.cu.in).
template <class F, class T>
struct CudaFormula {
  /// @param way a method's that is not unfit for the stencil (methods.cpp)
  static std::unique_ptr<device::BlockKernel> make(Way way, const StencilSpec& spec, device::Context& context,
                                                   void* workspace);
};

}  // namespace terrace::stencil
