// The kernels of a cluster, which are compiled at run time.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "kernels/compiled/module.hpp"
#include "kernels/graph/cuda/fused/launches.hpp"
#include "kernels/launch/kernel.hpp"

namespace terrace::graph {

/// Kernels that are loaded. Defined in the source that the build makes from cuda/fused/kernels.cu.in.
class ClusterKernels {
 public:
  /// @param module of source_of() @throws DeviceError if a thread block needs more than a multiprocessor has
  ClusterKernels(const Cluster& cluster, std::shared_ptr<const compiled::Module> module);

  /// Thread blocks of the kernel that streams rows which the device has at a time.
  unsigned resident_blocks() const { return resident_blocks_; }
  void launch(const ClusterLaunch& launch, cudaStream_t stream) const;

 private:
  std::shared_ptr<const compiled::Module> module_;
  device::Kernel<ClusterWork> stream_, rim_;
  std::size_t rim_bytes_;
  unsigned resident_blocks_;
};

}  // namespace terrace::graph
