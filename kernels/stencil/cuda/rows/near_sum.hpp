// Makes several steps at once of sums over a star or a box of radius 1 in two dimensions that kernels of partial sums
// do not compute: with other faces, a source or a mask.
#pragma once

#include <memory>

#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// Defined in the source that the build makes for both (cuda/rows/near_sum.cu.in).
template <class T, bool box>
struct CudaNearSum {
  /// The blocks of a sum of that shape that make several steps at a time (Way::formula_rows).
  static std::unique_ptr<device::BlockKernel> make(const StencilSpec& spec, device::Context& context,
                                                   void* workspace);
};

}  // namespace terrace::stencil
