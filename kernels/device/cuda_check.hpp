// Checking what the CUDA runtime returns. Only for sources that are built with the toolkit.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "pipeline/base/error.hpp"

namespace terrace::device {

/// @throws DeviceError naming `call` and what the driver says, unless `status` is success
inline void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw DeviceError(call, std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status));
}

}  // namespace terrace::device

/// Makes a CUDA runtime call and throws a DeviceError that names it when it fails.
#define TERRACE_CUDA_CHECK(call) ::terrace::device::check_cuda((call), #call)
