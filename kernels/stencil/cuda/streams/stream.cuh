// Launches the kernel that streams rows. Included by the sources that the build makes from cuda/streams/stream.cu.in.
#pragma once

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/streams/kernel.cuh"
#include "kernels/stencil/cuda/streams/maps.hpp"
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

/// The same sizes with a warp that moves rows, for grids that tensor copies cannot move.
constexpr measured::StreamSizes with_mover(measured::StreamSizes sizes) {
  sizes.moving = measured::Moving::mover;
  return sizes;
}

/// The kernel of a StreamShape that moves rows by tensor copies; Other is the shape with a warp that moves them.
template <class Shape, class Other>
StreamKernel<typename Shape::Value> tensor_kernel_of() {
  using T = typename Shape::Value;
  const auto resident = [](unsigned warps) {
    stream_kernel_of<Other>().resident_blocks(warps);
    return device::resident_blocks(device::make_kernel(tensor_stream_kernel<Shape>, "tensor_stream_kernel"),
                                   32 * warps, Shape::shared_bytes);
  };
  const auto launch = [](unsigned blocks, unsigned warps, cudaStream_t stream, const StencilState* state,
                         const StreamTask<T>& task) {
    const std::optional<StreamMaps<1>> maps = maps_of<Shape>(task);
    if (!maps) return stream_kernel_of<Other>().launch(blocks, warps, stream, state, task);
    device::launch(device::make_kernel(tensor_stream_kernel<Shape>, "tensor_stream_kernel"),
                   {.blocks = blocks, .threads = 32 * warps, .shared_bytes = Shape::shared_bytes, .stream = stream},
                   state, task, *maps);
  };
  return {Shape::sizes, resident, launch};
}

template <class T, measured::StreamForm form, int radius>
StreamKernel<T> CudaStreamKernel<T, form, radius>::kernel() {
  using Shape = StreamShape<T, form, radius>;
  if constexpr (!Shape::by_tensor) return stream_kernel_of<Shape>();
  else return tensor_kernel_of<Shape, StreamShape<T, form, radius, with_mover(Shape::sizes)>>();
}

}  // namespace terrace::stencil
