// Launches the kernel of large boxes. Included by the sources that the build makes from cuda/wide/box.cu.in.
#pragma once

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/wide/box.hpp"
#include "kernels/stencil/cuda/wide/kernel.cuh"

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
  return {Shape::sums, Shape::sizes, resident_blocks, launch};
}

template <class T, measured::BoxSums sums>
BoxKernel<T> box_kernel_of(int radius) {
  static_assert(measured::CudaBox::least_radius == 4 && measured::CudaBox::most_radius == 8);
  return radius == 4   ? box_kernel_of<BoxShape<T, 4, sums>>()
         : radius == 5 ? box_kernel_of<BoxShape<T, 5, sums>>()
         : radius == 6 ? box_kernel_of<BoxShape<T, 6, sums>>()
         : radius == 7 ? box_kernel_of<BoxShape<T, 7, sums>>()
                       : box_kernel_of<BoxShape<T, 8, sums>>();
}

template <class T>
BoxKernel<T> CudaBoxKernel<T>::kernel(measured::BoxSums sums, int radius) {
  if constexpr (measured::CudaBox::has_products(sizeof(T))) {
    if (sums == measured::BoxSums::products) return box_kernel_of<T, measured::BoxSums::products>(radius);
  }
  return box_kernel_of<T, measured::BoxSums::terms>(radius);
}

template <class T>
bool CudaBoxKernel<T>::has_exact_products(cudaStream_t stream, void* word) {
  if constexpr (measured::CudaBox::has_products(sizeof(T))) {
    device::u32 differ = 1;
    device::launch(device::make_kernel(check_products_kernel<T>, "check_products_kernel"),
                   {.blocks = 1, .threads = 32, .shared_bytes = 0, .stream = stream},
                   static_cast<device::u32*>(word));
    TERRACE_CUDA_CHECK(cudaMemcpyAsync(&differ, word, sizeof differ, cudaMemcpyDeviceToHost, stream));
    TERRACE_CUDA_CHECK(cudaStreamSynchronize(stream));
    return differ == 0;
  } else {
    return false;
  }
}

}  // namespace terrace::stencil
