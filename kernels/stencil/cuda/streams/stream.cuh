// Launches the kernel that streams rows. Included by the sources that the build makes from cuda/streams/stream.cu.in.
#pragma once

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/streams/kernel.cuh"
#include "kernels/stencil/cuda/streams/stream.hpp"

namespace terrace::stencil {

/// The kernel of a StreamShape.
template <class Shape>
StreamKernel<typename Shape::Value> stream_kernel_of() {
  using T = typename Shape::Value;
  const auto resident = [](unsigned warps) {
    return device::resident_blocks(device::make_kernel(stream_kernel<Shape>, "stream_kernel"), 32 * (warps + 1),
                                   Shape::shared_bytes);
  };
  const auto launch = [](unsigned blocks, unsigned warps, cudaStream_t stream, const StencilState* state,
                         const StreamTask<T>& task) {
    device::launch(
        device::make_kernel(stream_kernel<Shape>, "stream_kernel"),
        {.blocks = blocks, .threads = 32 * (warps + 1), .shared_bytes = Shape::shared_bytes, .stream = stream}, state,
        task);
  };
  return {Shape::sizes, resident, launch};
}

template <class T, measured::StreamForm form, int radius>
StreamKernel<T> CudaStreamKernel<T, form, radius>::kernel() {
  return stream_kernel_of<StreamShape<T, form, radius>>();
}

}  // namespace terrace::stencil
