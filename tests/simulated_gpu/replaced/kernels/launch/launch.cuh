// Replaces the project's header of that name for kernels that are compiled for the simulated device.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <type_traits>

#include "kernels/device/cuda_check.hpp"
#include "kernels/launch/kernel.hpp"
#include "tests/simulated_gpu/grid.hpp"

namespace terrace::device {

template <class... Parameters>
void launch(const Kernel<Parameters...>& kernel, const LaunchShape& shape,
            std::type_identity_t<Parameters>... values) {
  const auto function = reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(kernel.function));
  const auto thread = [function, values...] { function(values...); };
  check_cuda(simulated_gpu::launch({shape.blocks, shape.threads, shape.shared_bytes}, thread, shape.stream),
             kernel.name);
}

template <class... Parameters>
unsigned resident_blocks(const Kernel<Parameters...>& kernel, unsigned threads, std::size_t shared_bytes) {
  check_shared_memory(kernel.name, shared_bytes, simulated_gpu::most_shared_bytes());
  if (!simulated_gpu::fits({1, threads, shared_bytes})) {
    throw DeviceError(kernel.name, "a thread block needs more than a multiprocessor has");
  }
  return static_cast<unsigned>(simulated_gpu::processors());
}

}  // namespace terrace::device
