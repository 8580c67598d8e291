// The memory of constant arrays as kernels that stream windows of rows or planes read them.
#pragma once

#include "kernels/stencil/cuda/common/state_kernel.cuh"

namespace terrace::stencil {

using device::u32;

/// The memory of rows of an array that follow one another: row n, as the tile counts rows, has its first column of
/// the grid at `row_0` + n * width, for n in [begin, end).
template <class T>
struct alignas(16) ArrayPlace {
  const T* row_0;
  i32 begin, end;
};

/// The places of a warp's arrays, in the thread block's shared memory.
/// @tparam S a kernel's sizes: arrays; places_at, where the places begin, in chunks of 16 bytes; level_warps();
/// array(task, n), the rows of array n; first_row(task), the row of the grid that is row 0 as the tile counts rows
template <class S>
class ArrayPlaces {
  using T = typename S::Value;
  using Task = typename S::Task;

 public:
  /// Forgets all places of a warp that makes levels.
  static __device__ __forceinline__ void clear() {
    if (threadIdx.x / 32 == static_cast<u32>(S::level_warps())) return;
    for (i32 n = static_cast<i32>(threadIdx.x % 32); n < S::arrays; n += 32) of_warp()[n] = {nullptr, 0, 0};
    __syncwarp();
  }
  /// The memory of array n around a row. All lanes ask for it together.
  static __device__ __forceinline__ const ArrayPlace<T>& with_row(const Task& task, i32 n, i32 row) {
    ArrayPlace<T>& place = of_warp()[n];
    if (row < place.begin || row >= place.end) find(task, n, row, place);
    return place;
  }

 private:
  static __device__ __forceinline__ ArrayPlace<T>* of_warp() {
    auto* places = reinterpret_cast<ArrayPlace<T>*>(device::launch_shared_memory() + 16 * S::places_at);
    return places + threadIdx.x / 32 * S::arrays;
  }
  /// Not inlined: it is seldom called.
  static __device__ __noinline__ void find(const Task& task, i32 array, i32 number, ArrayPlace<T>& place) {
    const ArrayPlace<T> found = place_of(task, S::array(task, array), S::first_row(task) + number, number);
    __syncwarp();
    if (threadIdx.x % 32 == 0) place = found;
    __syncwarp();
  }
  static __device__ __forceinline__ ArrayPlace<T> place_of(const Task& task, const Rows& rows, i64 row, i32 number) {
    if (task.wraps_rows != 0) {
      while (row < 0) row += task.extent;
      while (row >= task.extent) row -= task.extent;
    }
    // Rows that are not there contribute to nothing that is written: another one takes their place.
    if (row < rows.begin[0] || row >= rows.end) {
      row = row < rows.begin[0] ? rows.begin[0] : rows.end - 1;
      return {rows.template row<T>(row, task.width) - number * task.width, number, number + 1};
    }
    i32 piece = rows.pieces - 1;
    while (piece > 0 && rows.begin[piece] > row) --piece;
    const i64 end = piece + 1 < rows.pieces ? rows.begin[piece + 1] : rows.end;
    return {rows.template row<T>(row, task.width) - number * task.width, bounded(number - (row - rows.begin[piece])),
            bounded(number + (end - row))};
  }
  static __device__ __forceinline__ i32 bounded(i64 number) {
    return static_cast<i32>(number < -(1 << 30) ? -(1 << 30) : number > 1 << 30 ? 1 << 30 : number);
  }
};

}  // namespace terrace::stencil
