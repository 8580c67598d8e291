// Launches the kernel that streams planes. Included by the sources that the build makes from
// cuda/volumes/volume.cu.in.
#pragma once

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/volumes/kernel.cuh"
#include "kernels/stencil/cuda/volumes/volume.hpp"

namespace terrace::stencil {

/// The kernel of a shape.
template <class S>
VolumeKernel<typename S::Value> volume_kernel_of() {
  using T = typename S::Value;
  const auto resident = [] {
    const auto blocks_of = [](const auto& kernel) {
      return device::resident_blocks(kernel, S::threads, S::shared_bytes);
    };
    const unsigned aligned = blocks_of(device::make_kernel(volume_kernel<S, true>, "volume_kernel"));
    const unsigned others = blocks_of(device::make_kernel(volume_kernel<S, false>, "volume_kernel"));
    return aligned < others ? aligned : others;
  };
  const auto launch = [](unsigned blocks, bool aligned, cudaStream_t stream, const StencilState* state,
                         const VolumeTask<T>& task) {
    device::launch(aligned ? device::make_kernel(volume_kernel<S, true>, "volume_kernel")
                           : device::make_kernel(volume_kernel<S, false>, "volume_kernel"),
                   {.blocks = blocks, .threads = S::threads, .shared_bytes = S::shared_bytes, .stream = stream},
                   state, task);
  };
  return {S::sizes,      S::fields, S::width, S::height, S::cells_halo,
          S::lines_halo, S::depth,  S::delay, resident,  launch};
}

template <class T, VolumeKind kind, int radius>
VolumeKernel<T> CudaVolumeKernel<T, kind, radius>::kernel() {
  return volume_kernel_of<VolumeShape<T, kind, radius, volume_sizes(kind, radius, sizeof(T))>>();
}

}  // namespace terrace::stencil
