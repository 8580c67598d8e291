// The steps around the update of a tile on CUDA: the check that it is begun, the initial values, the extremes found,
// and the report.
#pragma once

#include "kernels/launch/port.cuh"
#include "kernels/recursive/cuda/products/tile.hpp"
#include "kernels/recursive/task.hpp"

namespace terrace::recursive {

/// State that the kernels of one block share, in device memory. The least and largest values, as keys, are initially
/// those of an empty set.
struct TileState {
  u64 begun;  // 0: the launch was stopped, and the block's kernels do nothing
  i64 least, most;
  i64 farthest;
  i64 negative_pivot;
  u64 signs;  // not 0: a factor has values that are negative, or -0.0
};

inline constexpr i64 largest_key = 0x7FFFFFFFFFFFFFFFll;

/// Keys with the order of values: integers themselves; for floating-point numbers, integers from their bits.
template <class T>
__device__ __forceinline__ i64 key_of(T value) {
  if constexpr (is_real<T>) {
    const i64 bits = __double_as_longlong(static_cast<double>(value));
    return bits < 0 ? bits ^ largest_key : bits;
  } else {
    return value;
  }
}
template <class T>
__device__ __forceinline__ TileResult::Extremes value_of_key(i64 key) {
  if constexpr (is_real<T>) return {0, __longlong_as_double(key < 0 ? key ^ largest_key : key)};
  else return {key, 0};
}

template <class T>
__device__ __forceinline__ bool is_finite(T value) {
  return value < infinity<T>() && value > static_cast<T>(-infinity<T>());
}

/// The least and the largest of a thread's finite values.
struct Extent {
  i64 least = largest_key, most = -largest_key - 1;

  template <class T>
  __device__ __forceinline__ void add(T value) {
    if (!is_finite(value)) return;
    const i64 key = key_of(value);
    if (key < least) least = key;
    if (key > most) most = key;
  }
  /// The extremes of the warp, in every lane.
  __device__ __forceinline__ void gather() {
    for (int distance = 16; distance > 0; distance /= 2) {
      const i64 lower = __shfl_xor_sync(~0u, least, distance), upper = __shfl_xor_sync(~0u, most, distance);
      if (lower < least) least = lower;
      if (upper > most) most = upper;
    }
  }
  __device__ __forceinline__ bool any() const { return least <= most; }
};

/// One thread: begins block `block` unless the launch is to stop. @param always true if it begins even then
template <class T>
__global__ void begin_block_kernel(device::Port port, TileState* state, u64 block, bool always) {
  bool begun = device::begin_next(port, block, state->begun);
  if (always && !begun) {
    device::note_begin(port, block);
    begun = true;
  }
  const Extent none;
  *state = {begun ? u64{1} : u64{0}, none.least, none.most, none.most, -1, 0};
}

/// One thread: reports block `block`, the launch's first one that is not reported.
template <class T>
__global__ void report_block_kernel(device::Port port, const TileState* state, u64 block) {
  if (state->begun == 0) return;
  TileResult result{};
  if (state->least <= state->most) {
    result.found |= 1;
    result.least = value_of_key<T>(state->least);
    result.most = value_of_key<T>(state->most);
  }
  if (state->farthest > Extent{}.most) {
    result.found |= 2;
    result.farthest = value_of_key<T>(state->farthest);
  }
  result.negative_pivot = state->negative_pivot;
  *device::result_of<TileResult>(port, block) = result;
  device::report_next(port, block);
}

/// A tile's own values and their initial values.
template <class T>
struct TileValues {
  T* x;  // null: the input is only looked at
  i64 x_stride;
  const T* input;  // null: x begins as `zero`
  i64 input_stride;
  T zero;
  i32 rows, columns;
};

/// Thread blocks take rows in turn.
template <class T>
__global__ void begin_tile_kernel(TileState* state, TileValues<T> tile) {
  if (state->begun == 0) return;
  Extent extent;
  for (i32 i = static_cast<i32>(blockIdx.x); i < tile.rows; i += static_cast<i32>(gridDim.x)) {
    for (i32 j = static_cast<i32>(threadIdx.x); j < tile.columns; j += static_cast<i32>(blockDim.x)) {
      T value = tile.zero;
      if (tile.input != nullptr) {
        value = tile.input[i * tile.input_stride + j];
        extent.add(value);
      }
      if (tile.x != nullptr) tile.x[i * tile.x_stride + j] = value;
    }
  }
  extent.gather();
  if (threadIdx.x % 32 != 0 || !extent.any()) return;
  atomicMin(&state->least, extent.least);
  atomicMax(&state->most, extent.most);
}

/// Inspects a tile after its last update. @param clamp -1 or 1: values from half of minus infinity down, or of
/// infinity up, become that infinity; 0: no values do
template <class T>
__global__ void end_tile_kernel(TileState* state, TileValues<T> tile, i32 clamp) {
  if (state->begun == 0) return;
  Extent extent;
  for (i32 i = static_cast<i32>(blockIdx.x); i < tile.rows; i += static_cast<i32>(gridDim.x)) {
    for (i32 j = static_cast<i32>(threadIdx.x); j < tile.columns; j += static_cast<i32>(blockDim.x)) {
      T& value = tile.x[i * tile.x_stride + j];
      const T far = static_cast<T>(infinity<T>() / T(2));
      if (clamp > 0 && value >= far) value = infinity<T>();
      if (clamp < 0 && value <= static_cast<T>(-far)) value = static_cast<T>(-infinity<T>());
      extent.add(value);
    }
  }
  extent.gather();
  if (threadIdx.x % 32 == 0 && extent.any()) atomicMax(&state->farthest, extent.most);
}

}  // namespace terrace::recursive
