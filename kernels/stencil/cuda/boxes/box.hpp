// Makes a step of sums over large boxes in two dimensions on CUDA.
#pragma once

#include <cuda_runtime.h>

#include "kernels/stencil/cuda/streams/task.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

struct StencilState;

/// A kernel that makes a step of a box, of one radius and type of values.
template <class T>
struct BoxKernel {
  i64 height, width;  // of a thread block's tile
  /// Loads the kernel. @throws DeviceError if a thread block needs more than the device has
  void (*load)();
  void (*launch)(unsigned blocks, cudaStream_t stream, const StencilState* state, const StreamTask<T>& task);
};

/// Defined in the source that the build makes for T (cuda/boxes/box.cu.in).
template <class T>
struct CudaBoxKernel {
  /// @param radius measured::CudaBox::least_radius ... measured::CudaBox::most_radius
  static BoxKernel<T> kernel(int radius);
};

}  // namespace terrace::stencil
