// The one way in which kernels are launched.
#pragma once

#include <cuda_runtime.h>

#include <mutex>
#include <type_traits>

#include "kernels/device/cuda_check.hpp"
#include "kernels/launch/kernel.hpp"

namespace terrace::device {

/// Submits the kernel to the stream; returns at once. @throws DeviceError naming the kernel
template <class... Parameters>
void launch(const Kernel<Parameters...>& kernel, const LaunchShape& shape,
            std::type_identity_t<Parameters>... values) {
  void* arguments[] = {static_cast<void*>(&values)..., nullptr};
  check_cuda(cudaLaunchKernel(kernel.function, dim3(shape.blocks), dim3(shape.threads), arguments, shape.shared_bytes,
                              shape.stream),
             kernel.name);
}

/// Raises a kernel's limit of dynamic shared memory, and never lowers it: the same kernel may be asked for with
/// several sizes, also by several threads at once.
inline void permit_shared_memory(const void* kernel, const char* name, std::size_t bytes) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  cudaFuncAttributes now{};
  check_cuda(cudaFuncGetAttributes(&now, kernel), name);
  if (static_cast<std::size_t>(now.maxDynamicSharedSizeBytes) >= bytes) return;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
             name);
}

/// Thread blocks of that shape that are resident on the whole current device at a time, at least one; raises the
/// kernel's limit of dynamic shared memory and loads its code, so that a launch loads nothing.
/// @throws DeviceError when not even one block fits
template <class... Parameters>
unsigned resident_blocks(const Kernel<Parameters...>& kernel, unsigned threads, std::size_t shared_bytes) {
  int device = 0, processors = 0, most_shared_bytes = 0, blocks = 0;
  TERRACE_CUDA_CHECK(cudaGetDevice(&device));
  TERRACE_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  TERRACE_CUDA_CHECK(cudaDeviceGetAttribute(&most_shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  check_shared_memory(kernel.name, shared_bytes, static_cast<std::size_t>(most_shared_bytes));
  permit_shared_memory(kernel.function, kernel.name, shared_bytes);
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function, static_cast<int>(threads),
                                                           shared_bytes),
             kernel.name);
  if (blocks < 1) throw DeviceError(kernel.name, "a thread block needs more than a multiprocessor has");
  return static_cast<unsigned>(blocks * processors);
}

}  // namespace terrace::device
