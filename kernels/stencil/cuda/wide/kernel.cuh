// Steps of a sum over a large box in two dimensions: rows in shared memory, sums in registers.
//
// The multiply-adds of a large box set the pace, not its memory. A warp takes a strip of columns and goes down a
// chunk of rows, a batch of rows at a time; it waits for no other warp. A lane makes a few cells side by side in each
// row of a batch, term by term (terms.cuh) or as matrix products (products.cuh).
//
// Shared memory has the rows of all levels one after another, in a ring: the last 2 radius rows of the highest level,
// those of each lower one, and the batch from memory, with the next one on its way behind it. The rows that a level
// makes take the places of the first ones that it was made from, which no level needs any more; all levels then begin
// a batch further on.
#pragma once

#include "kernels/stencil/cuda/wide/products.cuh"
#include "kernels/stencil/cuda/wide/rows.cuh"
#include "kernels/stencil/cuda/wide/share.hpp"
#include "kernels/stencil/cuda/wide/terms.cuh"

namespace terrace::stencil {

template <class S, bool by_products = S::by_products>
struct BoxSumsOf {
  using Type = BoxTerms<S>;
};
template <class S>
struct BoxSumsOf<S, true> {
  using Type = BoxProducts<S>;
};

/// A warp that makes its share of a launch.
template <class S>
class BoxStrip : BoxRows<S> {
  using Rows = BoxRows<S>;
  using Rows::after, Rows::bring, Rows::own, Rows::wrapped, Rows::write;
  using Rows::task_, Rows::shared_, Rows::near_at_, Rows::count_, Rows::low_, Rows::high_, Rows::kept_,
      Rows::keeps_columns_;
  using typename Rows::T, typename Rows::Chunk, typename Rows::Task;
  using Sums = typename BoxSumsOf<S>::Type;

 public:
  __device__ __forceinline__ BoxStrip(const Task& task, i32 warp) : Rows(task, warp) { bring_coefficients(); }

  /// Makes a part of a strip after the other.
  __device__ __forceinline__ void run(i32 warp) {
    const i64 blocks = gridDim.x, whole = (task_.rows.count() + S::rows - 1) / S::rows;
    // A processor's warps are far from each other: strips at the grid's ends take longer.
    BoxShare share(warp * blocks + blockIdx.x, S::block_warps * blocks, task_.chunks.tiles, whole,
                   task_.chunks.rows / S::rows);
    if (share.batches <= 0) return;
#pragma unroll 1
    while (share.next < share.end) {
      const i64 tile = share.next / share.batches, first = share.next - tile * share.batches;
      const i64 mine = share.end - share.next, left = share.batches - first, count = mine < left ? mine : left;
      Rows::place_chunk(tile, task_.rows.begin + (share.first + first) * S::rows, count * S::rows);
      make_chunk();
      share.next += count;
    }
  }

 private:
  /// All threads of the thread block: copies the coefficients into shared memory, if they are read from there.
  __device__ __forceinline__ void bring_coefficients() const {
    if constexpr (S::in_shared) {
      T* to = reinterpret_cast<T*>(shared_ + S::coefficients_at);
      for (i32 n = static_cast<i32>(threadIdx.x); n < S::span * S::coefficient_row; n += 32 * S::block_warps) {
        const i32 row = n / S::coefficient_row, column = n % S::coefficient_row - S::first_coefficient;
        const bool is_there = column >= 0 && column < S::span;
        to[n] = is_there ? task_.coefficients[row * Task::row_of(S::span) + column] : T(0);
      }
      __syncthreads();
    }
  }
  __device__ __forceinline__ const T* coefficients() const {
    if constexpr (!S::in_shared) return task_.coefficients;
    else return reinterpret_cast<const T*>(shared_ + S::coefficients_at) + S::coefficient_of(Rows::lane());
  }

  __device__ __forceinline__ void make_chunk() {
    const i32 levels = Rows::levels();
    i32 end = count_ + S::radius * levels;
    device::forget(end);
    // Rows come without a wait between them until level 1 can make rows.
    i32 row = Rows::first_row() - S::rows;    // the first one of the batch from memory
    i32 window = S::ring - S::rows * S::row;  // place of the first of the 2 radius rows before that batch
    do {
      row += S::rows;
      window = wrapped(window + S::rows * S::row);
      bring(row, wrapped(window + 2 * S::radius * S::row));
    } while (row + S::rows <= S::radius * (2 - levels));
    device::wait_for_copies<0>();
    __syncwarp();
#pragma unroll 1
    while (row < end) {
      if (row + S::rows < end) bring(row + S::rows, wrapped(window + (2 * S::radius + S::rows) * S::row));
      i32 place = window, made = row - S::radius;
#pragma unroll 1
      for (i32 left = levels - 1; left >= 0; --left, made -= S::radius) {
        // Rows that no row of the chunk needs are not made.
        if (made + S::rows > -S::radius * left) {
          make(place, made);
          if (left == 0) write(place, made);
        }
        place = wrapped(place + S::ring - 2 * S::radius * S::row);
      }
      row += S::rows;
      window = wrapped(window + S::rows * S::row);
      device::wait_for_copies<0>();
      __syncwarp();
    }
  }

  /// Makes the rows of a level from those of the level before, whose window begins at `place`, and puts them there.
  __device__ __forceinline__ void make(i32 place, i32 made) const {
    T sum[S::rows][S::cells];
    add_up(sum, near_at_ + place);
    if constexpr (S::by_products) Sums::settle(sum, task_, Rows::ring(), place);
    if (keeps_columns_ || made < low_ || made + S::rows > high_) keep(sum, place, made);
    __syncwarp();
#pragma unroll
    for (i32 v = 0; v < S::rows; ++v) {
#pragma unroll
      for (i32 q = 0; q < S::lane_chunks; ++q) {
        Chunk some;
#pragma unroll
        for (i32 w = 0; w < S::chunk; ++w) some.values[w] = sum[v][q * S::chunk + w];
        *own(after(place, v), q) = some;
      }
    }
    __syncwarp();
  }
  /// Makes the sums of this lane's cells of a batch. One row of coefficients is taken after another, with the rows of
  /// cells that meet it: each lies `radius` and more above or below one of the batch, and is read from shared memory
  /// once. So the terms of a sum come in their order.
  /// @param row place of what this lane takes of the first row that the batch needs
  __device__ __forceinline__ void add_up(T (&sum)[S::rows][S::cells], i32 row) const {
#pragma unroll
    for (i32 v = 0; v < S::rows; ++v) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) sum[v][c] = Sums::nothing();
    }
    i32 end = near_at_ + S::ring;
    device::forget(end);
    T near[S::rows][S::near_values];
    const auto take = [&](i32 turn, i32 number) {
      Sums::load(near[turn], shared_ + row);
      row += S::row;
      if (number % S::step == S::step - 1 && row == end) row -= S::ring;
    };
#pragma unroll
    for (i32 v = 0; v + 1 < S::rows; ++v) take(v, v);
    // As many rows of coefficients in turn as there are rows of sums: then every row is where it was.
    const T* coefficients = this->coefficients();
    i32 left = S::span;
#pragma unroll 1
    while (true) {
#pragma unroll
      for (i32 u = 0; u < S::rows; ++u) {
        take((u + S::rows - 1) % S::rows, u + S::rows - 1);
        Sums::add(sum, near, u, coefficients + u * S::coefficient_row);
        if (u == (S::span - 1) % S::rows && left <= S::rows) return;
      }
      left -= S::rows;
      coefficients += S::rows * S::coefficient_row;
    }
  }
  /// Cells within the radius of the grid's ends keep their values.
  __device__ __forceinline__ void keep(T (&sum)[S::rows][S::cells], i32 place, i32 made) const {
#pragma unroll
    for (i32 v = 0; v < S::rows; ++v) {
      const i32 kept = made + v < low_ || made + v >= high_ ? ~0 : kept_;
      if (kept == 0) continue;
      const i32 row = wrapped(place + (S::radius + v) * S::row);
#pragma unroll
      for (i32 q = 0; q < S::lane_chunks; ++q) {
        const Chunk before = *own(row, q);
#pragma unroll
        for (i32 w = 0; w < S::chunk; ++w) {
          const i32 c = q * S::chunk + w;
          if ((kept >> c & 1) != 0) sum[v][c] = before.values[w];
        }
      }
    }
  }
};

template <class S>
__global__ void __launch_bounds__(32 * S::block_warps, S::sizes.warps / S::block_warps)
    box_kernel(const StencilState* state, const __grid_constant__ BoxTask<typename S::Value> task) {
  if (state->begun == 0) return;
  const i32 warp = device::uniform_warp();
  BoxStrip<S>(task, warp).run(warp);
}

}  // namespace terrace::stencil
