// Makes the kernels of a formula on CUDA.
#pragma once

#include <memory>

#include "kernels/stencil/cuda/box.hpp"
#include "kernels/stencil/cuda/stream.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// Blocks of formula F on values of type T; defined in the source that the build makes for both (cuda/formula.cu.in).
template <class F, class T>
struct CudaFormula {
  static std::unique_ptr<device::BlockKernel> make(const StencilSpec& spec, device::Context& context,
                                                   void* workspace);
  /// With a kernel that makes such a sum, whatever make() would choose: for benchmarks.
  /// @throws DeviceError if the formula is no sum
  static std::unique_ptr<device::BlockKernel> make_with(const StreamKernel<T>& kernel, const StencilSpec& spec,
                                                        device::Context& context, void* workspace);
  static std::unique_ptr<device::BlockKernel> make_with(const BoxKernel<T>& kernel, const StencilSpec& spec,
                                                        device::Context& context, void* workspace);
};

}  // namespace terrace::stencil
