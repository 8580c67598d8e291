// Launches the kernels of tiles in shared memory. Included by the sources that the build makes from
// cuda/papers/tiled.cu.in.
#pragma once

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/papers/overlapped_kernel.cuh"
#include "kernels/stencil/cuda/papers/skewed_kernel.cuh"
#include "kernels/stencil/cuda/papers/tiled.hpp"

namespace terrace::stencil {

template <class T>
OverlappedKernel<T> CudaTiles<T>::overlapped(int terms) {
  using S = OverlappedShape<T>;
  const std::size_t bytes = S::shared_bytes(terms);
  device::resident_blocks(device::make_kernel(overlapped_kernel<T>, "overlapped_kernel"), S::threads, bytes);
  const auto launch = [](unsigned blocks, std::size_t shared_bytes, cudaStream_t stream, StencilState* state,
                         const TileTask<T>& task) {
    device::launch(device::make_kernel(overlapped_kernel<T>, "overlapped_kernel"),
                   {.blocks = blocks, .threads = S::threads, .shared_bytes = shared_bytes, .stream = stream}, state,
                   task);
  };
  return {bytes, launch};
}

template <class S>
SkewedKernel<typename S::Value> skewed_kernel_of(int radius, int levels, int terms) {
  const std::size_t bytes = S::shared_bytes(radius, levels, terms);
  const unsigned resident =
      device::resident_blocks(device::make_kernel(skewed_kernel<S>, "skewed_kernel"), S::threads, bytes);
  const auto launch = [](unsigned blocks, std::size_t shared_bytes, cudaStream_t stream, StencilState* state,
                         const SkewedTask<typename S::Value>& task) {
    device::launch(device::make_kernel(skewed_kernel<S>, "skewed_kernel"),
                   {.blocks = blocks, .threads = S::threads, .shared_bytes = shared_bytes, .stream = stream}, state,
                   task);
  };
  return {bytes, resident, launch};
}

template <class T>
SkewedKernel<T> CudaTiles<T>::skewed(SkewedTile tile, int radius, int levels, int terms) {
  if (tile.columns == 32) return skewed_kernel_of<SkewedShape<T, 32, 32>>(radius, levels, terms);
  if (tile.rows == 32) return skewed_kernel_of<SkewedShape<T, 64, 32>>(radius, levels, terms);
  return skewed_kernel_of<SkewedShape<T, 64, 64>>(radius, levels, terms);
}

}  // namespace terrace::stencil
