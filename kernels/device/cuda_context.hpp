// The parts of a CUDA context that only launches need. Only for sources built with the toolkit.
#pragma once

#include <cuda_runtime.h>

#include "kernels/device/context.hpp"

namespace terrace::device {

/// The stream behind the context's compute queue, with the context's device made current on this thread.
/// @throws DeviceError when `context` is not one of make_cuda_context
cudaStream_t compute_stream(Context& context);

/// Device memory and host memory in use that came from `allocate` and `allocate_host`, in bytes.
struct MemoryUse {
  std::size_t device_bytes = 0;
  std::size_t host_bytes = 0;
};
/// @throws DeviceError when `context` is not one of make_cuda_context
MemoryUse memory_use(const Context& context);

}  // namespace terrace::device
