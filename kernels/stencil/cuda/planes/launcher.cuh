// Launches kernels that stream planes (kernel.cuh), also those that are compiled at run time.
#pragma once

#include <algorithm>

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/planes/volume.hpp"

namespace terrace::stencil {

template <class Task>
using LaunchedVolume = device::Kernel<const StencilState*, Task>;

/// @param aligned the kernel for lines that begin at multiples of 16 bytes @param others for all others
template <class T, class Task>
VolumeKernel<T, Task> volume_kernel_of(const VolumeFrame& frame, const LaunchedVolume<Task>& aligned,
                                       const LaunchedVolume<Task>& others) {
  const auto threads = static_cast<unsigned>(frame.threads);
  const auto shared_bytes = static_cast<std::size_t>(frame.shared_bytes);
  const auto resident = [=] {
    return std::min(device::resident_blocks(aligned, threads, shared_bytes),
                    device::resident_blocks(others, threads, shared_bytes));
  };
  const auto launch = [=](unsigned blocks, bool is_aligned, cudaStream_t stream, const StencilState* state,
                          const Task& task) {
    device::launch(is_aligned ? aligned : others,
                   {.blocks = blocks, .threads = threads, .shared_bytes = shared_bytes, .stream = stream}, state,
                   task);
  };
  return {frame, resident, launch};
}

}  // namespace terrace::stencil
