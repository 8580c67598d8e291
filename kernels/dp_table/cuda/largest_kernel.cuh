// The largest cell of a tile, and the first one of that value.
#pragma once

#include "kernels/dp_table/cuda/state_kernel.cuh"

namespace terrace::dp_table {

inline constexpr u32 largest_threads = 256;

/// A key that is larger for larger values; 0 for none.
template <class T>
__device__ __forceinline__ u64 key_of(T value) {
  constexpr u64 sign = u64{1} << 63;
  if constexpr (is_real<T>) {
    const u64 bits = __builtin_bit_cast(u64, static_cast<double>(value) + 0.0);  // -0 becomes 0
    return (bits & sign) != 0 ? ~bits : bits | sign;
  } else {
    return static_cast<u64>(static_cast<i64>(value)) ^ sign;
  }
}

/// Finds the largest key.
template <class Rule>
__global__ void __launch_bounds__(largest_threads)
    find_largest_kernel(TableState* state, const typename Rule::Value* cells, i64 count) {
  __shared__ u64 largest;
  if (state->begun == 0 || state->aborted != 0) return;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  u64 mine = 0;
  for (i64 at = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += static_cast<i64>(gridDim.x) * blockDim.x) {
    const u64 key = key_of(cells[at]);
    mine = key > mine ? key : mine;
  }
  atomicMax(&largest, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(&state->largest, largest);
}

/// Finds the first cell with that key.
template <class Rule>
__global__ void __launch_bounds__(largest_threads)
    find_first_kernel(TableState* state, const typename Rule::Value* cells, i64 count) {
  if (state->begun == 0 || state->aborted != 0) return;
  for (i64 at = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += static_cast<i64>(gridDim.x) * blockDim.x) {
    if (key_of(cells[at]) != state->largest) continue;
    atomicMin(&state->first_largest, static_cast<u64>(at));
    break;
  }
}

}  // namespace terrace::dp_table
