// Sums over offsets of cells in shared memory: shared by the kernels that make several levels of a tile.
#pragma once

#include "kernels/device/instructions.cuh"
#include "kernels/stencil/cuda/common/state_kernel.cuh"
#include "kernels/stencil/cuda/papers/task.hpp"

namespace terrace::stencil {

/// Brings the terms into shared memory. @param stride values from one row of a tile to the next
template <class T>
__device__ __forceinline__ void bring_terms(const TileTask<T>& task, i32 stride, TileTerm<T>* terms) {
  for (i32 i = static_cast<i32>(threadIdx.x); i < task.count; i += static_cast<i32>(blockDim.x)) {
    const Term<T>& term = task.terms[i];
    terms[i] = {term.coefficient, term.offset[0] * stride + term.offset[2]};
  }
}

/// The sums of some cells side by side, each in the order of the terms.
template <class T, i32 cells>
__device__ __forceinline__ void sum_terms(const TileTerm<T>* terms, i32 count, const T* values,
                                          const i32 (&place)[cells], T (&sums)[cells]) {
#pragma unroll
  for (i32 c = 0; c < cells; ++c) sums[c] = times(terms[0].coefficient, values[place[c] + terms[0].place]);
#pragma unroll 4
  for (i32 i = 1; i < count; ++i) {
    const TileTerm<T> term = terms[i];
#pragma unroll
    for (i32 c = 0; c < cells; ++c) sums[c] = fused(term.coefficient, values[place[c] + term.place], sums[c]);
  }
}

/// True if a cell keeps its value, or is outside the grid, where no value matters.
__device__ __forceinline__ bool is_rim(i64 index, i64 extent, i32 radius) {
  return index < radius || index >= extent - radius;
}

/// The value of a cell before the launch, or 0 where there is none.
template <class T>
__device__ __forceinline__ T value_before(const TileTask<T>& task, i64 row, i64 column) {
  const bool is_there = row >= task.input.begin && row < task.input.end && column >= 0 && column < task.width;
  return is_there ? task.from.row(row, task.width)[column] : T{};
}

/// Writes a cell if it is one that is made.
template <class T>
__device__ __forceinline__ void write_made(const TileTask<T>& task, i64 row, i64 column, T value) {
  const bool is_made = row >= task.output.begin && row < task.output.end && column >= 0 && column < task.width;
  if (is_made) task.to.row(row, task.width)[column] = value;
}

}  // namespace terrace::stencil
