// Launches the kernel of large boxes. Included by the sources that the build makes from cuda/boxes/box.cu.in.
#pragma once

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/boxes/box.hpp"
#include "kernels/stencil/cuda/boxes/kernel.cuh"

namespace terrace::stencil {

/// The kernel of a BoxShape.
template <class Shape>
BoxKernel<typename Shape::Value> box_kernel_of() {
  using T = typename Shape::Value;
  const auto resident_blocks = [] {
    return device::resident_blocks(device::make_kernel(box_kernel<Shape>, "box_kernel"), 32 * Shape::block_warps,
                                   Shape::shared_bytes);
  };
  const auto launch = [](unsigned blocks, cudaStream_t stream, const StencilState* state, const BoxTask<T>& task) {
    device::launch(
        device::make_kernel(box_kernel<Shape>, "box_kernel"),
        {.blocks = blocks, .threads = 32 * Shape::block_warps, .shared_bytes = Shape::shared_bytes, .stream = stream},
        state, task);
  };
  return {Shape::sizes, resident_blocks, launch};
}

template <class T>
BoxKernel<T> CudaBoxKernel<T>::kernel(int radius) {
  static_assert(measured::CudaBox::least_radius == 4 && measured::CudaBox::most_radius == 8);
  return radius == 4   ? box_kernel_of<BoxShape<T, 4>>()
         : radius == 5 ? box_kernel_of<BoxShape<T, 5>>()
         : radius == 6 ? box_kernel_of<BoxShape<T, 6>>()
         : radius == 7 ? box_kernel_of<BoxShape<T, 7>>()
                       : box_kernel_of<BoxShape<T, 8>>();
}

}  // namespace terrace::stencil
