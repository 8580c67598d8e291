// Launches of kernels whose thread blocks begin to wait while the kernel before them ends: programmatic dependent
// launch.
#pragma once

#include "kernels/launch/launch.cuh"

namespace terrace::device {

/// True if all devices can do so: from compute capability 9.0 on.
inline bool kernels_overlap() {
  static const bool all = [] {
    int devices = 0;
    TERRACE_CUDA_CHECK(cudaGetDeviceCount(&devices));
    for (int device = 0; device < devices; ++device) {
      int major = 0;
      TERRACE_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
      if (major < 9) return false;
    }
    return true;
  }();
  return all;
}

/// As launch() does, of a kernel that begins with wait_for_earlier_kernels(). @throws DeviceError naming the kernel
template <class... Parameters>
void launch_overlapping(const Kernel<Parameters...>& kernel, const LaunchShape& shape,
                        std::type_identity_t<Parameters>... values) {
  void* arguments[] = {static_cast<void*>(&values)..., nullptr};
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.blocks);
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = shape.stream;
  config.attrs = &attribute;
  config.numAttrs = kernels_overlap() ? 1 : 0;
  check_cuda(cudaLaunchKernelExC(&config, kernel.function, arguments), kernel.name);
}

}  // namespace terrace::device
