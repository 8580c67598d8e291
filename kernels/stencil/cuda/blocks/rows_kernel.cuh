// Copies of rows.
#pragma once

#include "kernels/stencil/cuda/blocks/state_kernel.cuh"

namespace terrace::stencil {

/// The number of this thread in its launch, and the number of threads.
__device__ __forceinline__ i64 first_of_thread() { return static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ __forceinline__ i64 threads_of_launch() { return static_cast<i64>(gridDim.x) * blockDim.x; }

/// Copies `count` values.
template <class T>
__global__ void copy_values_kernel(const StencilState* state, const T* from, T* to, i64 count) {
  if (state->begun == 0) return;
  for (i64 i = first_of_thread(); i < count; i += threads_of_launch()) to[i] = from[i];
}

}  // namespace terrace::stencil
