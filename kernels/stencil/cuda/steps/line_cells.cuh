// Cells of a thread along a line of the grid, as a pack of values for formulas (operator.hpp).
#pragma once

#include "kernels/stencil/lanes.hpp"
#include "kernels/stencil/measured.hpp"
#include "kernels/stencil/operator.hpp"

namespace terrace::stencil {

/// Values of cells that are 32 apart: the cells of a warp's threads follow one another.
template <class T>
struct LineCells {
  static constexpr i32 count = measured::CudaStep::cells, apart = 32;
  T v[count];

  LineCells() = default;
  __device__ __forceinline__ explicit LineCells(T value) {
#pragma unroll
    for (i32 r = 0; r < count; ++r) v[r] = value;
  }
  static __device__ __forceinline__ LineCells load(const T* first) {
    LineCells cells;
#pragma unroll
    for (i32 r = 0; r < count; ++r) cells.v[r] = first[r * apart];
    return cells;
  }
};

template <class T>
struct Lanes<LineCells<T>> {
  static constexpr i32 count = LineCells<T>::count;
  static __device__ __forceinline__ T& of(LineCells<T>& pack, i32 lane) { return pack.v[lane]; }
  static __device__ __forceinline__ const T& of(const LineCells<T>& pack, i32 lane) { return pack.v[lane]; }
};

template <class T>
__device__ __forceinline__ LineCells<T> plus(LineCells<T> a, const LineCells<T>& b) {
#pragma unroll
  for (i32 r = 0; r < a.count; ++r) a.v[r] = plus(a.v[r], b.v[r]);
  return a;
}
template <class T>
__device__ __forceinline__ LineCells<T> minus(LineCells<T> a, const LineCells<T>& b) {
#pragma unroll
  for (i32 r = 0; r < a.count; ++r) a.v[r] = minus(a.v[r], b.v[r]);
  return a;
}
template <class T>
__device__ __forceinline__ LineCells<T> times(LineCells<T> a, const LineCells<T>& b) {
#pragma unroll
  for (i32 r = 0; r < a.count; ++r) a.v[r] = times(a.v[r], b.v[r]);
  return a;
}
template <class T>
__device__ __forceinline__ LineCells<T> fused(LineCells<T> a, const LineCells<T>& b, const LineCells<T>& c) {
#pragma unroll
  for (i32 r = 0; r < a.count; ++r) a.v[r] = fused(a.v[r], b.v[r], c.v[r]);
  return a;
}

}  // namespace terrace::stencil
