// Checks of return codes of the CUDA runtime. Only for sources that are built with the toolkit.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

#include "pipeline/base/error.hpp"

namespace terrace::device {

/// @throws DeviceError naming `call` and the driver's message, unless `status` is success
inline void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw DeviceError(call, std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status));
}

/// @param needed, most bytes of shared memory that a launch of the kernel asks for, and that the device gives a
/// thread
///   block
/// @throws DeviceError naming the kernel, unless there is enough
inline void check_shared_memory(const char* kernel, std::size_t needed, std::size_t most) {
  if (needed <= most) return;
  const auto kibibytes = [](std::size_t bytes) { return std::to_string((bytes + 1023) / 1024) + " KiB"; };
  throw DeviceError(kernel, "needs " + kibibytes(needed) + " of shared memory for a thread block, and this GPU has " +
                                kibibytes(most) + ": run the job on the CPU (backend: cpu)");
}

}  // namespace terrace::device

/// Makes a CUDA runtime call and throws a DeviceError that names it when it fails.
#define TERRACE_CUDA_CHECK(call) ::terrace::device::check_cuda((call), #call)
