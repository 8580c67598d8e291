// A kernel and the shape of its launches.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace terrace::device {

/// A kernel with its name for messages. `function` may also be a cudaKernel_t that was loaded at run time.
template <class... Parameters>
struct Kernel {
  const void* function;
  const char* name;
};

template <class... Parameters>
Kernel<Parameters...> make_kernel(void (*function)(Parameters...), const char* name) {
  return {reinterpret_cast<const void*>(function), name};
}

/// The shape of a launch; every field is named where it is given, so that none can change places.
struct LaunchShape {
  unsigned blocks;
  unsigned threads;  // of a block
  std::size_t shared_bytes;
  cudaStream_t stream;
};

}  // namespace terrace::device
