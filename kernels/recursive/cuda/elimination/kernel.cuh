// Gaussian elimination on CUDA: base_pivots pivots eliminate their own square, the rows right of it and the columns
// below it. The rest is a product.
#pragma once

#include "kernels/recursive/cuda/floyd_warshall_kernel.cuh"
#include "kernels/recursive/rules/elimination.hpp"

namespace terrace::recursive {

/// The pivots' square, and the rows or columns that they change.
template <class T>
struct EliminationTask {
  TileState* state;
  Function function;  // a: x is the square itself; b: rows right of it; c: columns below it
  const T* square;    // pivots x pivots; a: not read
  i64 square_stride;
  T* x;
  i64 x_stride;
  i32 pivots;       // at most base_pivots
  i32 length;       // columns of the rows, or rows of the columns
  i64 first_pivot;  // in the whole matrix
};

/// Names a pivot that is of no use; the first one stays.
__device__ __forceinline__ void refuse_pivot(TileState* state, i64 pivot) {
  atomicMin(reinterpret_cast<u64*>(&state->negative_pivot), static_cast<u64>(pivot));
}

/// A thread's 4 x 4 elements of a square that pivots change one after another.
template <class T>
class EliminationPatch : public Patch<MinusTimes, T> {
 public:
  __device__ __forceinline__ explicit EliminationPatch(const EliminationTask<T>& task) : task_(task) {}

  /// Hands the pivot's row and column out, if they are x's. @param within the pivot's place in its owners' patches
  __device__ __forceinline__ void hand_out(i32 pivot, i32 within, T* row, T* column) const {
    if (task_.function != Function::c && this->row() == pivot - within) {
#pragma unroll
      for (i32 j = 0; j < 4; ++j) row[this->column() + j] = this->values[within][j];
    }
    if (task_.function != Function::b && this->column() == pivot - within) {
#pragma unroll
      for (i32 i = 0; i < 4; ++i) column[this->row() + i] = this->values[i][within];
    }
  }

  /// Takes the pivot's row away from all rows that it changes. @param quotients of the thread's rows
  /// @param row of the pivot
  __device__ __forceinline__ void take_away(i32 pivot, i32 within, const T (&quotients)[4], const T* row) {
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      if (task_.function != Function::c && this->row() + i <= pivot) continue;
#pragma unroll
      for (i32 j = 0; j < 4; ++j) {
        if (task_.function != Function::b && this->column() + j <= pivot) continue;
        T& x = this->values[i][j];
        x = update_word<MinusTimes, T>(x, quotients[i], row[this->column() + j]);
      }
      if (task_.function == Function::b || this->column() != pivot - within) continue;
      this->values[i][within] = quotients[i];
      if (!is_useful_quotient(quotients[i])) refuse_pivot(task_.state, task_.first_pivot + pivot);
    }
  }

 private:
  const EliminationTask<T>& task_;
};

/// Thread blocks have a strip of base_pivots rows or columns each. Elements see the pivots in order, as on the CPU.
template <class T>
__global__ void __launch_bounds__(closure_threads) eliminate_kernel(EliminationTask<T> task) {
  if (task.state->begun == 0) return;
  __shared__ T square[base_pivots][base_pivots];
  __shared__ T rows[2][base_pivots];
  __shared__ T columns[2][base_pivots];
  const bool of_square = task.function == Function::a, of_columns = task.function == Function::c;
  const i32 strip = static_cast<i32>(blockIdx.x) * base_pivots;
  const i32 wide = task.length - strip < base_pivots ? task.length - strip : base_pivots;
  T* x = task.x + (of_columns ? strip * task.x_stride : strip);
  EliminationPatch<T> patch(task);
  patch.load(x, task.x_stride, of_columns ? wide : task.pivots, of_columns ? task.pivots : wide);
  for (i32 at = static_cast<i32>(threadIdx.x); !of_square && at < base_pivots * base_pivots; at += closure_threads) {
    const i32 i = at / base_pivots, j = at % base_pivots;
    square[i][j] = i < task.pivots && j < task.pivots ? task.square[i * task.square_stride + j] : T(0);
  }
  patch.hand_out(0, 0, rows[0], columns[0]);
  for (i32 four = 0; four < task.pivots; four += 4) {
#pragma unroll
    for (i32 within = 0; within < 4; ++within) {
      const i32 pivot = four + within;
      if (pivot >= task.pivots) break;
      __syncthreads();
      const T* row = of_columns ? square[pivot] : rows[pivot % 2];
      T quotients[4];
#pragma unroll
      for (i32 i = 0; i < 4; ++i) {
        quotients[i] = task.function == Function::b
                           ? square[patch.row() + i][pivot]
                           : columns[pivot % 2][patch.row() + i] / (of_square ? row[pivot] : square[pivot][pivot]);
      }
      if (of_square && threadIdx.x == 0 && !is_useful_pivot(row[pivot])) {
        refuse_pivot(task.state, task.first_pivot + pivot);
      }
      patch.take_away(pivot, within, quotients, row);
      // The last of the four is followed by the first of the next.
      patch.hand_out(pivot + 1, (within + 1) % 4, rows[(pivot + 1) % 2], columns[(pivot + 1) % 2]);
    }
  }
  patch.store(x, task.x_stride, of_columns ? wide : task.pivots, of_columns ? task.pivots : wide);
}

}  // namespace terrace::recursive
