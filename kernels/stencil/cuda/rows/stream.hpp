// Makes several steps at once of sums over a star or a box in two dimensions on CUDA.
#pragma once

#include <cuda_runtime.h>

#include "kernels/stencil/cuda/rows/task.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

struct StencilState;

/// A kernel that streams rows, of one form, radius and type of values.
template <class T>
struct StreamKernel {
  measured::StreamSizes sizes;
  /// See StreamLauncher.
  unsigned (*resident_blocks)(unsigned warps, bool aligned);
  void (*launch)(unsigned blocks, unsigned warps, cudaStream_t stream, const StencilState* state,
                 const StreamTask<T>& task);
};

/// Defined in the source that the build makes for the three (cuda/rows/stream.cu.in).
template <class T, measured::StreamForm form, int radius>
struct CudaStreamKernel {
  static StreamKernel<T> kernel();
};

}  // namespace terrace::stencil
