// One step of a sum over a large box in two dimensions: tiles in shared memory, sums in registers.
//
// Its multiply-adds set the pace of a large box, not its memory: a step at a time makes no cell twice. A thread block
// brings a tile, with the cells around it, into shared memory. A thread makes a few cells of a few rows side by side:
// it takes the rows that these need one after another into registers, and adds the terms of each row to all sums that
// have any. So the terms of a sum come in their order.
#pragma once

#include "kernels/stencil/cuda/blocks/chunk.cuh"
#include "kernels/stencil/cuda/blocks/state_kernel.cuh"
#include "kernels/stencil/cuda/streams/task.hpp"

namespace terrace::stencil {

/// A kernel's sizes as constants.
template <class T, i32 radius_, measured::BoxSizes sizes_>
struct BoxShape {
  using Value = T;
  static constexpr i32 radius = radius_;
  static constexpr measured::BoxSizes sizes = sizes_;
  static constexpr i32 cells = sizes.cells, rows = sizes.rows, warps = sizes.warps;
  static constexpr i32 width = 32 * cells, height = warps * rows;  // of a tile
  static constexpr i32 span = 2 * radius + 1;

  // Shared memory, in chunks of 16 bytes. The chunks of a row whose numbers are equal modulo `lane_chunks` lie side
  // by side, so that lanes that read chunks of their own meet in no bank.
  static constexpr i32 chunk = 16 / sizeof(T), lane_chunks = cells / chunk;
  static constexpr i32 halo_chunks = (radius + chunk - 1) / chunk, halo = halo_chunks * chunk;
  static constexpr i32 near_chunks = lane_chunks + 2 * halo_chunks;  // that a thread takes of a row
  static constexpr i32 row_chunks = 32 * lane_chunks + 2 * halo_chunks;
  static constexpr i32 row_turns = (row_chunks + 31) / 32;  // in which a warp fetches a row
  static constexpr i32 plane = (row_chunks + lane_chunks - 1) / lane_chunks, row = lane_chunks * plane;
  static constexpr i32 span_chunks = (span + chunk - 1) / chunk;  // of a row of coefficients
  static constexpr i32 tile_at = span * span_chunks;
  static constexpr i32 shared_bytes = 16 * (tile_at + (height + 2 * radius) * row);

  static_assert(cells % chunk == 0);
};

/// A thread's share of a launch.
template <class S>
class BoxTile {
  using T = typename S::Value;
  using Chunk = ValueChunk<T>;
  using Task = StreamTask<T>;

 public:
  __device__ __forceinline__ explicit BoxTile(const Task& task)
      : task_(task),
        shared_(reinterpret_cast<Chunk*>(device::launch_shared_memory())),
        row_(task.rows.begin + blockIdx.x / task.chunks.tiles * S::height),
        column_(blockIdx.x % task.chunks.tiles * S::width) {}

  __device__ __forceinline__ void run() {
    fetch_tile();
    bring_coefficients();
    device::wait_for_copies<0>();
    __syncthreads();
    T sum[S::rows][S::cells];
    add_terms(sum);
    write(sum);
  }

 private:
  static __device__ __forceinline__ i32 lane() { return static_cast<i32>(threadIdx.x % 32); }
  static __device__ __forceinline__ i32 warp() { return static_cast<i32>(threadIdx.x / 32); }
  /// The place of chunk `number` of the tile's row `row`, both counted from the first that is in shared memory.
  static __device__ __forceinline__ i32 place_of(i32 row, i32 number) {
    return S::tile_at + row * S::row + number % S::lane_chunks * S::plane + number / S::lane_chunks;
  }

  __device__ __forceinline__ void fetch_tile() const {
    const i64 begin = column_ - S::halo;
    if (task_.aligned != 0) {
      i64 column[S::row_turns];
#pragma unroll
      for (i32 n = 0; n < S::row_turns; ++n) column[n] = there(begin + (lane() + 32 * n) * S::chunk, S::chunk);
#pragma unroll 1
      for (i32 row = warp(); row < S::height + 2 * S::radius; row += S::warps) {
        const T* values = row_from(row_ - S::radius + row);
#pragma unroll
        for (i32 n = 0; n < S::row_turns; ++n) {
          const i32 number = lane() + 32 * n;
          if (number < S::row_chunks) device::begin_copy(shared_ + place_of(row, number), values + column[n]);
        }
      }
    } else {
#pragma unroll 1
      for (i32 row = warp(); row < S::height + 2 * S::radius; row += S::warps) {
        const T* values = row_from(row_ - S::radius + row);
#pragma unroll 1
        for (i32 cell = lane(); cell < S::row_chunks * S::chunk; cell += 32) {
          device::begin_small_copy(&shared_[place_of(row, cell / S::chunk)].values[cell % S::chunk],
                                   values + there(begin + cell, 1));
        }
      }
    }
    device::commit_copies();
  }
  /// A row of the grid that is read; in place of one that is not there, another one, which changes no cell.
  __device__ __forceinline__ const T* row_from(i64 row) const {
    if (task_.wraps_rows != 0) {
      while (row < 0) row += task_.extent;
      while (row >= task_.extent) row -= task_.extent;
    }
    const i64 first = task_.from[0].begin[0], last = task_.from[0].end - 1;
    return task_.from[0].row(row < first ? first : row > last ? last : row, task_.width);
  }
  /// The column that is read for one that may lie beyond the grid's ends, where `count` columns follow one another.
  __device__ __forceinline__ i64 there(i64 column, i32 count) const {
    const i64 width = task_.width;
    if (task_.wraps_columns == 0) return column < 0 ? 0 : column > width - count ? width - count : column;
    while (column < 0) column += width;
    while (column >= width) column -= width;
    return column;
  }
  /// Coefficients are read from shared memory: the constants of a launch that a processor keeps close are fewer.
  __device__ __forceinline__ void bring_coefficients() const {
    for (i32 n = static_cast<i32>(threadIdx.x); n < S::span * S::span; n += 32 * S::warps) {
      const i32 column = n % S::span, place = n / S::span * S::span_chunks + column / S::chunk;
      shared_[place].values[column % S::chunk] = task_.coefficients[n];
    }
  }

  __device__ __forceinline__ void add_terms(T (&sum)[S::rows][S::cells]) const {
    // Negative zero: what is added to it stays as it is, as a sum's first term.
#pragma unroll
    for (i32 v = 0; v < S::rows; ++v) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) sum[v][c] = T(-0.0);
    }
    const Chunk* row = shared_ + place_of(warp() * S::rows, lane() * S::lane_chunks);
#pragma unroll 1
    for (i32 number = 0; number < S::rows + 2 * S::radius; ++number, row += S::row) {
      T near[S::near_chunks * S::chunk];
#pragma unroll
      for (i32 q = 0; q < S::near_chunks; ++q) {
        const Chunk chunk = row[q % S::lane_chunks * S::plane + q / S::lane_chunks];
#pragma unroll
        for (i32 v = 0; v < S::chunk; ++v) near[q * S::chunk + v] = chunk.values[v];
      }
#pragma unroll
      for (i32 v = 0; v < S::rows; ++v) {
        if (number - v >= 0 && number - v < S::span) add_row(sum[v], near, shared_ + (number - v) * S::span_chunks);
      }
    }
  }
  static __device__ __forceinline__ void add_row(T (&sum)[S::cells], const T (&near)[S::near_chunks * S::chunk],
                                                 const Chunk* coefficients) {
#pragma unroll
    for (i32 q = 0; q < S::span_chunks; ++q) {
      const Chunk some = coefficients[q];
#pragma unroll
      for (i32 v = 0; v < S::chunk; ++v) {
        const i32 right = q * S::chunk + v;
        if (right >= S::span) break;
#pragma unroll
        for (i32 c = 0; c < S::cells; ++c) {
          sum[c] = fused(some.values[v], near[S::halo - S::radius + right + c], sum[c]);
        }
      }
    }
  }

  __device__ __forceinline__ void write(const T (&sum)[S::rows][S::cells]) const {
    const i64 first = row_ + warp() * S::rows, column = column_ + lane() * S::cells;
    if (!is_inner()) {
      write_some(sum, first, column);
      return;
    }
#pragma unroll
    for (i32 v = 0; v < S::rows; ++v) {
      T* values = task_.to[0].row(first + v, task_.width) + column;
#pragma unroll
      for (i32 q = 0; q < S::lane_chunks; ++q) {
        Chunk made;
#pragma unroll
        for (i32 w = 0; w < S::chunk; ++w) made.values[w] = sum[v][q * S::chunk + w];
        reinterpret_cast<Chunk*>(values)[q] = made;
      }
    }
  }
  /// True if all cells of the tile are there, none keeps its value, and chunks are written as a whole.
  __device__ __forceinline__ bool is_inner() const {
    const i64 row_end = row_ + S::height, column_end = column_ + S::width;
    if (task_.aligned == 0 || row_end > task_.rows.end || column_end > task_.width) return false;
    return (task_.keeps_rows == 0 || (row_ >= S::radius && row_end <= task_.extent - S::radius)) &&
           (task_.wraps_columns != 0 || (column_ >= S::radius && column_end <= task_.width - S::radius));
  }
  /// Writes the cells of a tile of which some are not there, or keep their values.
  __device__ __forceinline__ void write_some(const T (&sum)[S::rows][S::cells], i64 first, i64 column) const {
#pragma unroll
    for (i32 v = 0; v < S::rows; ++v) {
      const i64 row = first + v;
      if (row >= task_.rows.end) return;
      T* values = task_.to[0].row(row, task_.width);
      const bool row_kept = task_.keeps_rows != 0 && is_kept(row, task_.extent);
      const i32 number = warp() * S::rows + v + S::radius;
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        if (column + c >= task_.width) break;
        const bool kept = row_kept || (task_.wraps_columns == 0 && is_kept(column + c, task_.width));
        const i32 chunk = lane() * S::lane_chunks + c / S::chunk + S::halo_chunks;
        values[column + c] = kept ? shared_[place_of(number, chunk)].values[c % S::chunk] : sum[v][c];
      }
    }
  }
  static __device__ __forceinline__ bool is_kept(i64 index, i64 extent) {
    return index < S::radius || index >= extent - S::radius;
  }

  const Task& task_;
  Chunk* shared_;
  i64 row_, column_;  // of the tile's first cell
};

template <class S>
__global__ void __launch_bounds__(32 * S::warps, S::sizes.blocks)
    box_kernel(const StencilState* state, const __grid_constant__ StreamTask<typename S::Value> task) {
  if (state->begun == 0) return;
  BoxTile<S>(task).run();
}

}  // namespace terrace::stencil
