// Several steps of a sum over offsets in two dimensions, by tiles that overlap.
//
// A thread block loads a tile with a halo of the radius times the steps into shared memory, makes the steps there in
// two arrays in turn, and writes the tile. A step makes `radius` cells less at each side, so halos are made again by
// neighbours. Cells outside the grid hold anything: the rim keeps its values, and nothing inside reads beyond it.
#pragma once

#include "kernels/stencil/cuda/papers/sum.cuh"
#include "kernels/stencil/measured.hpp"

namespace terrace::stencil {

template <class T>
struct OverlappedShape {
  using Sizes = measured::CudaOverlapped;
  static constexpr i32 rows = Sizes::rows, columns = Sizes::columns(sizeof(T)), threads = Sizes::threads;
  static constexpr i32 cells = Sizes::cells, rows_at_once = threads / columns;
  static constexpr i32 area = rows * columns;
  static_assert(threads % columns == 0);

  static constexpr u64 shared_bytes(i32 terms) {
    return 2 * area * sizeof(T) + static_cast<u64>(terms) * sizeof(TileTerm<T>);
  }
};

/// A thread's share of a launch.
template <class T>
class Overlapped {
  using S = OverlappedShape<T>;

 public:
  __device__ __forceinline__ explicit Overlapped(const TileTask<T>& task)
      : task_(task),
        values_(reinterpret_cast<T*>(device::launch_shared_memory())),
        terms_(reinterpret_cast<TileTerm<T>*>(values_ + 2 * S::area)) {
    bring_terms(task_, S::columns, terms_);
  }

  __device__ __forceinline__ void run() {
    const i64 high = S::rows - 2 * halo(), wide = S::columns - 2 * halo();
    const i64 across = (task_.width + wide - 1) / wide, down = (task_.output.count() + high - 1) / high;
    for (i64 tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
      first_row_ = task_.output.begin + tile / across * high - halo();
      first_column_ = tile % across * wide - halo();
      make_tile();
    }
  }

 private:
  __device__ __forceinline__ i32 halo() const { return task_.radius * task_.levels; }
  static __device__ __forceinline__ i32 row() { return static_cast<i32>(threadIdx.x) / S::columns; }
  static __device__ __forceinline__ i32 column() { return static_cast<i32>(threadIdx.x) % S::columns; }

  __device__ __forceinline__ void make_tile() {
    T* from = values_;
    T* to = values_ + S::area;
    for (i32 y = row(); y < S::rows; y += S::rows_at_once) {
      from[y * S::columns + column()] = value_before(task_, first_row_ + y, first_column_ + column());
    }
    __syncthreads();
    for (i32 level = 1; level <= task_.levels; ++level) {
      make_level(from, to, level * task_.radius);
      __syncthreads();
      T* made = to;
      to = from;
      from = made;
    }
    const i32 end = S::rows - halo();
    if (column() >= halo() && column() < S::columns - halo()) {
      for (i32 y = halo() + row(); y < end; y += S::rows_at_once) {
        write_made(task_, first_row_ + y, first_column_ + column(), from[y * S::columns + column()]);
      }
    }
    __syncthreads();
  }

  /// Makes the cells that are at least `margin` away from the tile's sides.
  __device__ __forceinline__ void make_level(const T* from, T* to, i32 margin) const {
    const i32 x = column(), end = S::rows - margin;
    if (x < margin || x >= S::columns - margin) return;
    const bool keeps_column = is_rim(first_column_ + x, task_.width, task_.radius);
#pragma unroll 1
    for (i32 y = margin + row(); y < end; y += S::rows_at_once * S::cells) {
      i32 place[S::cells];
      T sums[S::cells];
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        // Rows below the last one repeat the first: they are not written.
        const i32 made = y + c * S::rows_at_once;
        place[c] = (made < end ? made : y) * S::columns + x;
      }
      sum_terms(terms_, task_.count, from, place, sums);
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const i32 made = y + c * S::rows_at_once;
        if (made >= end) continue;
        const bool keeps = keeps_column || is_rim(first_row_ + made, task_.extent, task_.radius);
        to[place[c]] = keeps ? from[place[c]] : sums[c];
      }
    }
  }

  const TileTask<T>& task_;
  T* values_;
  TileTerm<T>* terms_;
  i64 first_row_ = 0, first_column_ = 0;  // of the tile with its halo
};

template <class T>
__global__ void __launch_bounds__(OverlappedShape<T>::threads)
    overlapped_kernel(const StencilState* state, const __grid_constant__ TileTask<T> task) {
  if (state->begun == 0) return;
  Overlapped<T>(task).run();
}

}  // namespace terrace::stencil
