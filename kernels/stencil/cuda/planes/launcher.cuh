// Launches kernels that stream planes (kernel.cuh), also those that are compiled at run time.
#pragma once

#include <algorithm>

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/planes/volume.hpp"

namespace terrace::stencil {

template <class Task>
using LaunchedVolume = device::Kernel<const StencilState*, Task>;

/// @param aligned the kernel for lines that begin at multiples of 16 bytes @param others for all others
/// One of the two may have no function, if no launch needs it.
template <class T, class Task>
VolumeKernel<T, Task> volume_kernel_of(const VolumeFrame& frame, const LaunchedVolume<Task>& aligned,
                                       const LaunchedVolume<Task>& others) {
  const auto threads = static_cast<unsigned>(frame.threads);
  const auto shared_bytes = static_cast<std::size_t>(frame.shared_bytes);
  const auto resident = [=] {
    unsigned blocks = ~0u;
    for (const LaunchedVolume<Task>& kernel : {aligned, others}) {
      if (kernel.function != nullptr)
        blocks = std::min(blocks, device::resident_blocks(kernel, threads, shared_bytes));
    }
    return blocks;
  };
  const auto launch = [=](unsigned blocks, bool is_aligned, cudaStream_t stream, const StencilState* state,
                          const Task& task) {
    const LaunchedVolume<Task>& kernel = is_aligned ? aligned : others;
    if (kernel.function == nullptr) throw DeviceError("stencil", "there is no kernel for where lines begin");
    device::launch(kernel, {.blocks = blocks, .threads = threads, .shared_bytes = shared_bytes, .stream = stream},
                   state, task);
  };
  return {frame, resident, launch};
}

}  // namespace terrace::stencil
