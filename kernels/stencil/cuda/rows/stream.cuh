// Launches the kernel that streams rows. Included by the sources that the build makes from cuda/rows/stream.cu.in.
#pragma once

#include "kernels/stencil/cuda/rows/launcher.cuh"
#include "kernels/stencil/cuda/rows/stream.hpp"

namespace terrace::stencil {

template <class T, measured::StreamForm form, int radius>
StreamKernel<T> CudaStreamKernel<T, form, radius>::kernel() {
  static_assert(radius <= measured::CudaStream::most_radius(form, sizeof(T)), "no sum chooses this kernel");
  using Shape = StreamShape<T, form, radius>;
  return {Shape::sizes,
          [](unsigned warps, bool aligned) { return stream_launcher<Shape>().resident_blocks(warps, aligned); },
          [](unsigned blocks, unsigned warps, cudaStream_t stream, const StencilState* state,
             const StreamTask<T>& task) { stream_launcher<Shape>().launch(blocks, warps, stream, state, task); }};
}

}  // namespace terrace::stencil
