// Launches the kernels of clusters. Included by the source that the build makes from cuda/fused/kernels.cu.in.
#pragma once

#include <utility>

#include "kernels/graph/cuda/fused/kernels.hpp"
#include "kernels/launch/launch.cuh"

namespace terrace::graph {

ClusterKernels::ClusterKernels(const Cluster& cluster, std::shared_ptr<const compiled::Module> module)
    : module_(std::move(module)),
      stream_{module_->kernel(0), "stream_cluster_kernel"},
      rim_{module_->kernel(1), "make_rim_kernel"},
      rim_bytes_(cluster.rim_bytes),
      resident_blocks_(device::resident_blocks(stream_, stream_threads, 0)) {
  device::resident_blocks(rim_, rim_threads, rim_bytes_);
}

void ClusterKernels::launch(const ClusterLaunch& launch, cudaStream_t stream) const {
  if (launch.stream_blocks > 0) {
    device::launch(stream_,
                   {.blocks = launch.stream_blocks, .threads = stream_threads, .shared_bytes = 0, .stream = stream},
                   launch.work);
  }
  if (launch.rim_blocks > 0) {
    device::launch(
        rim_, {.blocks = launch.rim_blocks, .threads = rim_threads, .shared_bytes = rim_bytes_, .stream = stream},
        launch.work);
  }
}

}  // namespace terrace::graph
