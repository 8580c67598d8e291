// Products on CUDA whose splits have weights: x(i, j) <- x(i, j) + u(i, k) * v(k, j) with the weight r(i) s(k) c(j).
// Packed and fed as products are; the weights are made from the sizes when they are needed.
#pragma once

#include "kernels/recursive/cuda/products/kernel.cuh"
#include "kernels/recursive/interval_rules.hpp"

namespace terrace::recursive {

/// Sizes of the nodes of x's rows, of the splits, and of x's columns.
template <class T>
struct SplitSizes {
  const T* rows;
  const T* splits;
  const T* columns;
  i32 depth;
};

/// Shared memory for the sizes of that many splits, in addition to the stages.
template <class T>
constexpr i64 weighted_sizes_bytes(i64 depth) {
  constexpr i64 stage = ProductTile<T>::depth;
  return (depth + stage - 1) / stage * stage * static_cast<i64>(sizeof(T));
}

/// x + split(u, v, weight of row and split, size of column) if that is less or more, as the algebra has it.
template <class R, class T>
__device__ __forceinline__ T update_weighted(T x, T u, T v, T row, T split_and_column) {
  if constexpr (same_type<T, double>) {
    const double value = values::plus(values::fused(row, split_and_column, u), v);
    return value < x ? value : x;
  } else {
    return R::Algebra::template plus<T>(x, static_cast<T>((u + row * split_and_column) + v));
  }
}

/// The part of x that a thread computes, and the sizes of its rows and columns.
template <class R, class T>
class WeightedPart : public ThreadPart<typename R::Algebra, T> {
  using S = typename R::Algebra;
  using Base = ThreadPart<S, T>;
  using Tile = ProductTile<T>;
  static_assert(same_type<Word<S, T>, T> && same_type<S, MinPlus>);

 public:
  /// @param i0, j0 the thread block's first row and column
  __device__ __forceinline__ void load_sizes(const ProductTask<S, T>& task, const SplitSizes<T>& sizes, i32 i0,
                                             i32 j0) {
#pragma unroll
    for (i32 i = 0; i < Tile::thread_rows; ++i) {
      const i32 row = i0 + this->row_of(i);
      rows_[i] = row < task.rows ? sizes.rows[row] : T(0);
    }
#pragma unroll
    for (i32 j = 0; j < Tile::thread_words; ++j) {
      const i32 column = j0 + this->word_of(j);
      columns_[j] = column < task.columns ? sizes.columns[column] : T(0);
    }
  }

  /// Adds the products of the factors, whose splits have those sizes.
  __device__ __forceinline__ void update(const typename Base::Factors& by, const T* sizes) {
#pragma unroll
    for (i32 k = 0; k < Tile::pair; ++k) {
#pragma unroll
      for (i32 j = 0; j < Tile::thread_words; ++j) {
        const T weight = sizes[k] * columns_[j];
#pragma unroll
        for (i32 i = 0; i < Tile::thread_rows; ++i) {
          this->sum_[i][j] = update_weighted<R, T>(this->sum_[i][j], by.left[k][i], by.right[k][j], rows_[i], weight);
        }
      }
    }
  }

 private:
  T rows_[Tile::thread_rows], columns_[Tile::thread_words];
};

template <class R, class T>
__global__ void __launch_bounds__((ProductTile<T>::threads), (ProductTile<T>::narrow ? 2 : 1))
    multiply_weighted_kernel(ProductTask<typename R::Algebra, T> task, SplitSizes<T> sizes) {
  if (task.state->begun == 0) return;
  using Tile = ProductTile<T>;
  const PartPlace place = part_place(static_cast<i32>(blockIdx.x), task.row_tiles, task.column_tiles);
  i32 i0 = place.row * Tile::rows, j0 = place.column * Tile::words;
  T* ring = reinterpret_cast<T*>(device::launch_shared_memory());
  T* split_sizes = ring + Tile::stages * Tile::stage_words;
  for (i32 k = static_cast<i32>(threadIdx.x); k < task.stages * Tile::depth; k += Tile::threads) {
    split_sizes[k] = k < sizes.depth ? sizes.splits[k] : T(0);
  }
#pragma unroll
  for (i32 stage = 0; stage + 1 < Tile::stages; ++stage) fetch_stage(task, place, stage);
  WeightedPart<R, T> part;
  part.load_x(task, i0, j0);
  part.load_sizes(task, sizes, i0, j0);
  for (i32 stage = 0; stage < task.stages; ++stage) {
    device::wait_for_copies<Tile::stages - 2>();
    __syncthreads();  // the stage is there, and nobody reads the one before any more
    fetch_stage(task, place, stage + Tile::stages - 1);
    const T* u = ring + stage % Tile::stages * Tile::stage_words;
    const T* v = u + Tile::depth * Tile::rows;
#pragma unroll(4 / Tile::pair)
    for (i32 k = 0; k < Tile::depth; k += Tile::pair) {
      typename WeightedPart<R, T>::Factors factors;
      part.load(u + k * Tile::rows, v + k * Tile::words, factors);
      part.update(factors, split_sizes + stage * Tile::depth + k);
    }
  }
  device::forget(i0);  // and with it the addresses of x
  device::forget(j0);
  part.store_x(task, i0, j0);
}

}  // namespace terrace::recursive
