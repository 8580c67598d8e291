// Kernels of pairs on CUDA, one source a problem.
#pragma once

#include <memory>

#include "kernels/launch/block_kernel.hpp"
#include "kernels/pairs/spec.hpp"

namespace terrace::pairs {

template <class P>
struct CudaPairs {
  /// @param workspace of CudaPlan::workspace_bytes @throws DeviceError where the problem has no pairs
  static std::unique_ptr<device::BlockKernel> make(const PairsSpec& spec, device::Context& context, void* workspace);
  /// The kernel for blocks of SweepsTask. @param workspace of SweepsPlan::workspace_bytes @throws DeviceError
  /// likewise
  static std::unique_ptr<device::BlockKernel> make_sweeps(const PairsSpec& spec, device::Context& context,
                                                          void* workspace);
};

}  // namespace terrace::pairs
