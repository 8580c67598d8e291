// Closures of a tile on CUDA (Floyd-Warshall): base_pivots pivots after another close their own square, then their
// rows and columns, each with the square alone, then the rest by a product. The same sums in the same order as on the
// CPU.
#pragma once

#include "kernels/recursive/cuda/products/kernel.cuh"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

inline constexpr i32 closure_threads =
    measured::CudaProducts::closure_threads;  // 16 x 16, each with 4 x 4 elements of a square

/// A tile in algebra S that is being closed, and the packed rows and columns of its pivots.
template <class S, class T>
struct ClosureTask {
  TileState* state;
  T* x;
  i64 x_stride;
  i32 size;
  i32 pivot;        // the first of this step, a multiple of base_pivots
  i64 first_pivot;  // the tile's first pivot in the whole matrix
  Word<S, T>* packed_u;
  Word<S, T>* packed_v;
};

template <class S, class T>
__device__ __forceinline__ T relaxed(T x, T u, T v) {
  if constexpr (sizeof(T) < 4) return S::template plus<T>(x, S::template times<T>(u, v));
  else return update_word<S, T>(x, u, v);
}

/// 4 x 4 elements of a square of base_pivots x base_pivots.
template <class S, class T>
struct Patch {
  T values[4][4];

  static __device__ __forceinline__ i32 row() { return static_cast<i32>(threadIdx.x) / 16 * 4; }
  static __device__ __forceinline__ i32 column() { return static_cast<i32>(threadIdx.x) % 16 * 4; }

  /// Calls act(i, j, place) for the thread's elements; the first `rows` x `columns` elements of the square exist.
  template <class Do>
  static __device__ __forceinline__ void each(i32 rows, i32 columns, i64 stride, const Do& act) {
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
#pragma unroll
      for (i32 j = 0; j < 4; ++j)
        act(i, j, row() + i < rows && column() + j < columns, (row() + i) * stride + column() + j);
    }
  }
  __device__ __forceinline__ void load(const T* from, i64 stride, i32 rows, i32 columns) {
    each(rows, columns, stride,
         [&](i32 i, i32 j, bool there, i64 at) { values[i][j] = there ? from[at] : zero_value<S, T>(); });
  }
  __device__ __forceinline__ void store(T* to, i64 stride, i32 rows, i32 columns) const {
    each(rows, columns, stride, [&](i32 i, i32 j, bool there, i64 at) {
      if (there) to[at] = values[i][j];
    });
  }
};

/// Closes the pivots' own square, by one thread block. A pivot's row and column do not change in its own turn, as no
/// pivot is negative: so they are handed out for the next turn in parallel with this one.
template <class S, class T>
__global__ void __launch_bounds__(closure_threads) close_pivots_kernel(ClosureTask<S, T> task) {
  if (task.state->begun == 0) return;
  __shared__ T rows[2][base_pivots];
  __shared__ T columns[2][base_pivots];
  i32 negative = base_pivots;  // the first such pivot, of the first thread
  const i32 depth = task.size - task.pivot < base_pivots ? task.size - task.pivot : base_pivots;
  T* square = task.x + task.pivot * task.x_stride + task.pivot;
  Patch<S, T> patch;
  patch.load(square, task.x_stride, depth, depth);
  // `within` is the pivot's place in its owners' patches.
  const auto hand_out = [&](i32 pivot, i32 within) {
    if (patch.row() == pivot - within) {
#pragma unroll
      for (i32 j = 0; j < 4; ++j) rows[pivot % 2][patch.column() + j] = patch.values[within][j];
    }
    if (patch.column() == pivot - within) {
#pragma unroll
      for (i32 i = 0; i < 4; ++i) columns[pivot % 2][patch.row() + i] = patch.values[i][within];
    }
  };
  hand_out(0, 0);
  for (i32 four = 0; four < depth; four += 4) {
#pragma unroll
    for (i32 within = 0; within < 4; ++within) {  // pivots that are not there change nothing
      const i32 pivot = four + within;
      __syncthreads();
      T u[4], v[4];
#pragma unroll
      for (i32 n = 0; n < 4; ++n) {
        u[n] = columns[pivot % 2][patch.row() + n];
        v[n] = rows[pivot % 2][patch.column() + n];
      }
      if (threadIdx.x == 0 && pivot < negative && rows[pivot % 2][pivot] < T(0)) negative = pivot;
#pragma unroll
      for (i32 i = 0; i < 4; ++i) {
#pragma unroll
        for (i32 j = 0; j < 4; ++j) patch.values[i][j] = relaxed<S>(patch.values[i][j], u[i], v[j]);
      }
      if (pivot + 1 < base_pivots) hand_out(pivot + 1, (within + 1) % 4);
    }
  }
  patch.store(square, task.x_stride, depth, depth);
  if (threadIdx.x == 0 && negative < base_pivots && task.state->negative_pivot < 0) {
    task.state->negative_pivot = task.first_pivot + task.pivot + negative;
  }
}

/// Two squares in shared memory, and the product of one with the other.
template <class T>
struct Squares {
  T left[base_pivots][base_pivots], right[base_pivots][base_pivots];
};

/// Packs a thread's part of a strip of the pivots' rows, or of their columns.
template <class S, class T>
__device__ __forceinline__ void pack_patch(const ClosureTask<S, T>& task, const Patch<S, T>& patch, i32 strip,
                                           bool of_rows) {
  using Tile = ProductTile<Word<S, T>>;
  constexpr i32 lanes = lanes_of<S, T>;
  if (of_rows) {
    const i32 word = (strip + patch.column()) / lanes;
    Word<S, T>* to = task.packed_v + static_cast<i64>(word / Tile::words) * (base_pivots * Tile::words);
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
#pragma unroll
      for (i32 j = 0; j < 4; j += lanes) {
        to[Tile::v_at(patch.row() + i, word % Tile::words + j / lanes)] = join<S, T>(patch.values[i] + j);
      }
    }
  } else {
    const i32 row = strip + patch.row();
    Word<S, T>* to = task.packed_u + static_cast<i64>(row / Tile::rows) * (base_pivots * Tile::rows);
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
#pragma unroll
      for (i32 j = 0; j < 4; ++j)
        to[Tile::u_at(patch.column() + j, row % Tile::rows + i)] = in_every_lane<S>(patch.values[i][j]);
    }
  }
  if constexpr (three_needs_signs<S, T>) {
    bool sign = false;
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
#pragma unroll
      for (i32 j = 0; j < 4; ++j) sign |= has_sign(patch.values[i][j]);
    }
    if (__any_sync(~0u, sign) && threadIdx.x % 32 == 0) task.state->signs = 1;
  }
}

/// Updates one strip of base_pivots of the pivots' columns of the pivots' rows, or rows of their columns, by the
/// pivots' closed square, and packs it for the product to come. Thread blocks [0, strips) have rows, the others
/// columns; the square itself is only packed.
template <class S, class T>
__global__ void __launch_bounds__(closure_threads) close_panels_kernel(ClosureTask<S, T> task) {
  if (task.state->begun == 0) return;
  const i32 strips = (task.size + base_pivots - 1) / base_pivots;
  const bool of_rows = static_cast<i32>(blockIdx.x) < strips;
  const i32 strip = (static_cast<i32>(blockIdx.x) - (of_rows ? 0 : strips)) * base_pivots;
  const auto there = [&](i32 from) { return task.size - from < base_pivots ? task.size - from : base_pivots; };
  const i32 pivots = there(task.pivot), wide = there(strip);
  const i32 rows = of_rows ? pivots : wide, columns = of_rows ? wide : pivots;
  T* square = task.x + task.pivot * task.x_stride + task.pivot;
  T* part = of_rows ? square + (strip - task.pivot) : square + (strip - task.pivot) * task.x_stride;

  auto& shared = *reinterpret_cast<Squares<T>*>(device::launch_shared_memory());
  Patch<S, T> patch, pivot_patch;
  patch.load(part, task.x_stride, rows, columns);
  if (strip != task.pivot) {
    pivot_patch.load(square, task.x_stride, pivots, pivots);
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
#pragma unroll
      for (i32 j = 0; j < 4; ++j) {
        const i32 row = patch.row() + i, column = patch.column() + j;
        shared.left[row][column] = of_rows ? pivot_patch.values[i][j] : patch.values[i][j];
        shared.right[row][column] = of_rows ? patch.values[i][j] : pivot_patch.values[i][j];
      }
    }
    __syncthreads();
#pragma unroll 4
    for (i32 k = 0; k < base_pivots; ++k) {
      T u[4], v[4];
#pragma unroll
      for (i32 n = 0; n < 4; ++n) {
        u[n] = shared.left[patch.row() + n][k];
        v[n] = shared.right[k][patch.column() + n];
      }
#pragma unroll
      for (i32 i = 0; i < 4; ++i) {
#pragma unroll
        for (i32 j = 0; j < 4; ++j) patch.values[i][j] = relaxed<S>(patch.values[i][j], u[i], v[j]);
      }
    }
    patch.store(part, task.x_stride, rows, columns);
  }
  pack_patch(task, patch, strip, of_rows);
}

}  // namespace terrace::recursive
