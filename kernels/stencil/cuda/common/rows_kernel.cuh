// Rows as they are: copies, and the count of cells that are not finite.
#pragma once

#include "kernels/stencil/cuda/common/state_kernel.cuh"

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

/// Adds cells to those that a block has found not to be finite; costs nothing if there are none.
__device__ __forceinline__ void add_not_finite(StencilState* state, const NotFinite& found) {
  if (found.count == 0) return;
  atomicAdd(&state->not_finite, static_cast<u64>(found.count));
  atomicMin(&state->first_not_finite, static_cast<u64>(found.first));
}

/// Counts the values that are not finite: reads each once, and writes nothing if there are none.
/// @param first number of the first value's cell
template <class T>
__global__ void count_values_kernel(StencilState* state, const T* values, i64 count, i64 first) {
  if (state->begun == 0) return;
  NotFinite found;
  for (i64 i = first_of_thread(); i < count; i += threads_of_launch()) {
    if (!is_finite(values[i])) found.add(first + i);
  }
  add_not_finite(state, found);
}

}  // namespace terrace::stencil
