// The values that cells of a node read on CUDA.
#pragma once

#include "kernels/graph/cuda/work.hpp"

namespace terrace::graph {

/// Values inside of the operands.
template <class T>
struct DeviceReader {
  const T* data[most_operands];  // of an operand its row 0, if it were there
  i64 stride[most_operands];
  Shape operand;

  __device__ __forceinline__ DeviceReader(const Work& work, int operands) : operand(work.operand) {
#pragma unroll
    for (int n = 0; n < operands; ++n) {
      data[n] = work.operands[n].row<const T>(0);
      stride[n] = work.operands[n].stride;
    }
  }
  __device__ __forceinline__ T operator()(int number, i64 i, i64 j) const {
    return data[number][i * stride[number] + j];
  }
  __device__ __forceinline__ Shape shape() const { return operand; }
};

/// Any values.
template <class T>
struct DeviceBoundaryReader {
  const Work& work;

  __device__ __forceinline__ T operator()(int number, i64 i, i64 j) const {
    const i64 column = index_inside(j, work.operand.columns, work.boundary);
    const T* row = row_of(number, i);
    return column == outside || row == nullptr ? static_cast<T>(work.boundary_value) : row[column];
  }
  __device__ __forceinline__ Shape shape() const { return work.operand; }

 private:
  __device__ __forceinline__ const T* row_of(int number, i64 i) const {
    if (i < 0) return static_cast<const T*>(work.above[-1 - i]);
    if (i >= work.operand.rows) return static_cast<const T*>(work.below[i - work.operand.rows]);
    return work.operands[number].row<const T>(i);
  }
};

template <class T>
__device__ __forceinline__ Constants<T> constants_of(const Work& work) {
  return {static_cast<const T*>(work.numbers), work.row_radius, work.column_radius, work.axis,
          work.is_separable != 0};
}

}  // namespace terrace::graph
