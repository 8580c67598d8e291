// Makes steps of formulas that a job writes on CUDA, by kernels that are compiled at run time.
#pragma once

#include <memory>

#include "kernels/stencil/cuda/formula.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// Defined in the source that the build makes for T (cuda/written.cu.in).
template <class T>
struct CudaWritten {
  /// @param way steps, formula_rows or planes @throws DeviceError
  static std::unique_ptr<device::BlockKernel> make(Way way, const StencilSpec& spec, device::Context& context,
                                                   void* workspace);
};

}  // namespace terrace::stencil
