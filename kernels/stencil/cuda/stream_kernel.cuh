// Several steps of a sum over a star or a box in two dimensions, with rows streamed through registers.
//
// A thread block takes a tile of columns and streams down a chunk of rows. A warp holds a row of the tile,
// consecutive cells a lane, and makes some levels of it, one after another. Instead of earlier rows, a level keeps
// the partial sums of the cells that the rows so far contribute to: a new row completes the sums of the row `radius`
// above it, adds to those between, and begins those of the row `radius` below. Rows arrive in the order of the terms,
// so every sum has the order of its definition. The first warp takes rows from memory, the others from the warp
// before, through shared memory, a batch later; the last one writes rows that are complete.
//
// Levels are made `radius` cells less at either side of a tile, unless it ends at the grid's end: there the outermost
// cells keep their values, as do rows at the grid's ends. A sum that is kept takes its own cell's value and no more
// terms.
#pragma once

#include "kernels/stencil/cuda/state_kernel.cuh"
#include "kernels/stencil/cuda/stream_task.hpp"

namespace terrace::stencil {

using device::u32;

/// A kernel's sizes as constants.
template <class T, bool box_, i32 radius_>
struct StreamShape {
  using Value = T;
  static constexpr bool box = box_;
  static constexpr i32 radius = radius_;
  static constexpr measured::StreamSizes sizes = measured::CudaStream::sizes(box_, radius_, sizeof(T));
  static constexpr i32 cells = sizes.cells, levels = sizes.levels, warps = sizes.warps, rows = sizes.rows;
  static constexpr i32 slots = sizes.slots;
  static constexpr i32 tile = 32 * cells;
  static constexpr i32 span = 2 * radius + 1;
  static constexpr i32 lag = radius * levels;  // rows by which a warp's result is behind what it takes

  // Shared memory, in chunks of 16 bytes.
  static constexpr i32 chunk = 16 / sizeof(T), chunks = tile / chunk, lane_chunks = cells / chunk;
  static constexpr i32 input_at = 0, hand_on_at = slots * rows * chunks;
  static constexpr i32 output_at = hand_on_at + 2 * (warps - 1) * rows * chunks;
  static constexpr i32 shared_bytes = 16 * (output_at + rows * chunks);

  static_assert(radius <= cells && cells % chunk == 0 && (slots & (slots - 1)) == 0 && slots >= 2);
};

/// 16 bytes of values.
template <class T>
struct alignas(16) StreamChunk {
  T values[16 / sizeof(T)];
};

/// The place of a row's chunk in shared memory: lanes that read their own chunks at once meet in no bank.
template <class S>
__device__ __forceinline__ i32 place_of_chunk(i32 chunk) {
  if constexpr (S::lane_chunks % 2 == 1) return chunk;
  else return chunk ^ (chunk >> 3 & (S::lane_chunks - 1));
}

/// What a tile is at the ends of its rows, and which rows keep their values, counted as the block counts them.
struct StreamRims {
  bool left, right;  // this lane's first or last cells keep their values
  i32 low, high;     // rows below `low` and from `high` on are kept
};

/// One level of a warp: partial sums of the rows after the newest one, or whose terms are not complete.
template <class S>
struct StreamLevel {
  using T = typename S::Value;
  T sum[2 * S::radius][S::cells];

  /// Takes row `row` of the level below, and gives the row `radius` above it in its place.
  /// @param edges true if the tile may end at the grid's end; rims: true if rows may be kept; all_kept: all are
  template <bool edges, bool rims>
  __device__ __forceinline__ void add(T (&x)[S::cells], const T* coefficients, const StreamRims& kept, i32 row,
                                      bool all_kept) {
    T near[S::cells + 2 * S::radius];
#pragma unroll
    for (i32 k = 0; k < S::radius; ++k) {
      near[k] = __shfl_up_sync(~0u, x[S::cells - S::radius + k], 1);
      near[S::radius + S::cells + k] = __shfl_down_sync(~0u, x[k], 1);
    }
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) near[S::radius + c] = x[c];
    add_terms<edges, rims>(x, sum[0], near, coefficients, kept, row, all_kept, S::radius);
#pragma unroll
    for (i32 i = 0; i + 1 < 2 * S::radius; ++i) {
      add_terms<edges, rims>(sum[i], sum[i + 1], near, coefficients, kept, row, all_kept, S::radius - 1 - i);
    }
    add_terms<false, false>(sum[2 * S::radius - 1], sum[2 * S::radius - 1], near, coefficients, kept, row, all_kept,
                            -S::radius);
  }

 private:
  /// The sums of the row `down` above the newest one, with the terms of the newest one.
  template <bool edges, bool rims>
  static __device__ __forceinline__ void add_terms(T (&made)[S::cells], const T (&before)[S::cells],
                                                   const T (&near)[S::cells + 2 * S::radius], const T* coefficients,
                                                   const StreamRims& kept, i32 row, bool all_kept, i32 down) {
    const bool row_kept = rims && (all_kept || row - down < kept.low || row - down >= kept.high);
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) {
      T value = before[c];
#pragma unroll
      for (i32 right = -S::radius; right <= S::radius; ++right) {
        if (!S::box && down != 0 && right != 0) continue;
        const T coefficient = coefficients[(down + S::radius) * S::span + right + S::radius];
        const bool is_first = down == -S::radius && (right == -S::radius || !S::box);
        const T x = near[S::radius + c + right];
        value = is_first ? times(coefficient, x) : fused(coefficient, x, value);
      }
      if (down >= 0 && (edges || rims)) {
        bool keeps = row_kept;
        if (edges && c < S::radius) keeps = keeps || kept.left;
        if (edges && c >= S::cells - S::radius) keeps = keeps || kept.right;
        if (keeps) value = down == 0 ? near[S::radius + c] : before[c];
      }
      made[c] = value;
    }
  }
};

/// A thread's share of a launch.
template <class S>
class Stream {
  using T = typename S::Value;
  using Chunk = StreamChunk<T>;
  using Task = StreamTask<T>;

 public:
  __device__ explicit Stream(const Task& task)
      : task_(task),
        lane_(static_cast<i32>(threadIdx.x % 32)),
        warp_(static_cast<i32>(threadIdx.x / 32)),
        warps_(static_cast<i32>(blockDim.x / 32)),
        shared_(reinterpret_cast<Chunk*>(device::launch_shared_memory())) {
    const i64 tile = blockIdx.x % task.tiles, begin = task.rows.begin + blockIdx.x / task.tiles * task.chunk_rows;
    const i64 end = begin + task.chunk_rows < task.rows.end ? begin + task.chunk_rows : task.rows.end;
    count_ = static_cast<i32>(end - begin);
    halo_ = S::lag * warps_;
    first_row_ = begin - halo_;
    batches_ = (count_ + 2 * halo_ + S::rows - 1) / S::rows;
    place_columns(tile);
    place_rims();
  }

  __device__ __forceinline__ void run() {
    for (i32 batch = 0; batch + 1 < S::slots && warp_ == 0; ++batch) fetch(batch);
    const i32 ticks = batches_ + warps_ - 1;
    i32 begin = first_plain_tick(), end = end_of_plain_ticks();
    if (end < begin) begin = end = ticks;
    const bool edges = at_left_ || at_right_;
    i32 tick = 0;
#pragma unroll 1
    for (i32 part = 0; part < 3; ++part) {
      const i32 until = part == 0 ? begin : part == 1 ? end : ticks;
      if (part != 1) {
#pragma unroll 1
        for (; tick < until; ++tick) advance<true, true>(tick);
      } else if (edges) {
#pragma unroll 1
        for (; tick < until; ++tick) advance<true, false>(tick);
      } else {
#pragma unroll 1
        for (; tick < until; ++tick) advance<false, false>(tick);
      }
    }
  }

 private:
  __device__ __forceinline__ void place_columns(i64 tile) {
    const i32 reach = halo_;
    const bool wraps = task_.wraps_columns != 0;
    const bool is_last = tile + 1 == task_.tiles;
    first_column_ = tile * task_.stride - (wraps ? reach : 0);
    at_left_ = !wraps && tile == 0;
    at_right_ = !wraps && is_last;
    // The last tile ends at the grid's end, and leaves out what the one before has.
    const i64 done = tile == 0 ? 0 : wraps ? tile * task_.stride : tile * task_.stride + reach;
    if (at_right_) first_column_ = task_.width - S::tile;
    useful_begin_ = static_cast<i32>(done - first_column_);
    useful_end_ = at_right_ ? S::tile : S::tile - reach;
    const i64 columns = task_.width - first_column_;
    if (wraps && useful_end_ > columns) useful_end_ = static_cast<i32>(columns);
  }
  __device__ __forceinline__ void place_rims() {
    kept_.left = at_left_ && lane_ == 0;
    kept_.right = at_right_ && lane_ == 31;
    const bool keeps = task_.keeps_rows != 0;
    kept_.low = keeps ? counted(S::radius) : -(1 << 30);
    kept_.high = keeps ? counted(task_.extent - S::radius) : 1 << 30;
  }
  /// A row of the grid as the block counts it.
  __device__ __forceinline__ i32 counted(i64 row) const {
    const i64 from_first = row - first_row_;
    return static_cast<i32>(from_first < -(1 << 30) ? -(1 << 30) : from_first > 1 << 30 ? 1 << 30 : from_first);
  }

  /// Ticks [first_plain_tick(), end_of_plain_ticks()) have rows for every warp, none of which is kept.
  __device__ __forceinline__ i32 first_plain_tick() const {
    if (task_.levels != warps_ * S::levels) return 1 << 30;  // some levels are not made
    // Warp w makes rows from batch * rows - (w + 1) * lag on.
    const i32 lag = warps_ * S::lag, first = kept_.low + lag <= 0 ? 0 : (kept_.low + lag + S::rows - 1) / S::rows;
    return warps_ - 1 + first;
  }
  __device__ __forceinline__ i32 end_of_plain_ticks() const {
    // Warp 0 is ahead of all others: a batch begins the sums of rows up to `radius` below it.
    const i64 end = (static_cast<i64>(kept_.high) - S::radius) / S::rows;
    return end < batches_ ? static_cast<i32>(end < 0 ? 0 : end) : batches_;
  }

  /// Lets every warp take its next batch. A warp is a tick behind the one before it.
  template <bool edges, bool rims>
  __device__ __forceinline__ void advance(i32 tick) {
    const i32 batch = tick - warp_;
    if (!rims || (batch >= 0 && batch < batches_)) {
      if (warp_ == 0) {
        device::wait_for_copies<S::slots - 2>();
        __syncwarp();
        fetch(batch + S::slots - 1);
      }
      make_batch<edges, rims>(batch, tick);
    }
    __syncthreads();
  }

  template <bool edges, bool rims>
  __device__ __forceinline__ void make_batch(i32 batch, i32 tick) {
    const bool is_last = warp_ + 1 == warps_;
    const Chunk* from = shared_ + (warp_ == 0 ? S::input_at + (batch & (S::slots - 1)) * S::rows * S::chunks
                                              : handed_on(warp_ - 1, tick - 1));
    Chunk* to = shared_ + (is_last ? S::output_at : handed_on(warp_, tick));
#pragma unroll
    for (i32 i = 0; i < S::rows; ++i) {
      T x[S::cells];
      load_row(from + i * S::chunks, x);
      const i32 row = batch * S::rows + i - warp_ * S::lag;
#pragma unroll
      for (i32 level = 0; level < S::levels; ++level) {
        const bool all_kept = rims && warp_ * S::levels + level >= task_.levels;
        levels_[level].template add<edges, rims>(x, task_.coefficients, kept_, row - level * S::radius, all_kept);
      }
      store_row(to + i * S::chunks, x);
    }
    if (is_last) {
      __syncwarp();
#pragma unroll
      for (i32 i = 0; i < S::rows; ++i) write_row(batch * S::rows + i - 2 * halo_, to + i * S::chunks);
      __syncwarp();
    }
  }
  __device__ __forceinline__ i32 handed_on(i32 warp, i32 tick) const {
    return S::hand_on_at + (2 * warp + (tick & 1)) * S::rows * S::chunks;
  }

  __device__ __forceinline__ void load_row(const Chunk* row, T (&x)[S::cells]) const {
#pragma unroll
    for (i32 q = 0; q < S::lane_chunks; ++q) {
      const Chunk chunk = row[place_of_chunk<S>(lane_ * S::lane_chunks + q)];
#pragma unroll
      for (i32 v = 0; v < S::chunk; ++v) x[q * S::chunk + v] = chunk.values[v];
    }
  }
  __device__ __forceinline__ void store_row(Chunk* row, const T (&x)[S::cells]) const {
#pragma unroll
    for (i32 q = 0; q < S::lane_chunks; ++q) {
      Chunk chunk;
#pragma unroll
      for (i32 v = 0; v < S::chunk; ++v) chunk.values[v] = x[q * S::chunk + v];
      row[place_of_chunk<S>(lane_ * S::lane_chunks + q)] = chunk;
    }
  }

  /// Begins to copy a batch of rows of the tile, which warp 0 does.
  __device__ __forceinline__ void fetch(i32 batch) {
    Chunk* to = shared_ + S::input_at + (batch & (S::slots - 1)) * S::rows * S::chunks;
    if (batch < batches_) {
#pragma unroll
      for (i32 i = 0; i < S::rows; ++i) fetch_row(first_row_ + batch * S::rows + i, to + i * S::chunks);
    }
    device::commit_copies();
  }
  __device__ __forceinline__ void fetch_row(i64 row, Chunk* to) {
    if (task_.wraps_rows != 0) {
      while (row < 0) row += task_.extent;
      while (row >= task_.extent) row -= task_.extent;
    } else {
      // Rows beyond those that there are contribute to nothing that is written.
      row = row < task_.from.begin[0] ? task_.from.begin[0] : row >= task_.from.end ? task_.from.end - 1 : row;
    }
    if (row < piece_.begin || row >= piece_.end) {
      const i32 piece = task_.from.piece_of(row);
      piece_ = task_.from.rows_of(piece);
      piece_values_ = task_.from.data[piece];
    }
    const T* values = piece_values_ + (row - piece_.begin) * task_.width;
    if (task_.aligned != 0) {
#pragma unroll
      for (i32 n = 0; n < S::chunks / 32; ++n) {
        const i32 chunk = lane_ + 32 * n;
        device::begin_copy(to + place_of_chunk<S>(chunk), values + column(chunk * S::chunk));
      }
      return;
    }
#pragma unroll 1
    for (i32 cell = lane_; cell < S::tile; cell += 32) {
      device::begin_small_copy(&to[place_of_chunk<S>(cell / S::chunk)].values[cell % S::chunk],
                               values + column(cell));
    }
  }
  /// The grid's column of a cell of the tile.
  __device__ __forceinline__ i64 column(i32 cell) const {
    const i64 index = first_column_ + cell;
    if (task_.wraps_columns == 0) return index;
    return index < 0 ? index + task_.width : index >= task_.width ? index - task_.width : index;
  }

  /// Writes a complete row of the chunk; nothing if it is not one of it.
  __device__ __forceinline__ void write_row(i32 number, const Chunk* row) const {
    if (number < 0 || number >= count_) return;
    T* values = task_.to.row(first_row_ + halo_ + number, task_.width) + first_column_;
    if (task_.aligned != 0) {
#pragma unroll
      for (i32 n = 0; n < S::chunks / 32; ++n) {
        const i32 chunk = lane_ + 32 * n, cell = chunk * S::chunk;
        const Chunk made = row[place_of_chunk<S>(chunk)];
        if (cell >= useful_begin_ && cell + S::chunk <= useful_end_) {
          *reinterpret_cast<Chunk*>(values + cell) = made;
          continue;
        }
#pragma unroll
        for (i32 v = 0; v < S::chunk; ++v) {
          if (cell + v >= useful_begin_ && cell + v < useful_end_) values[cell + v] = made.values[v];
        }
      }
      return;
    }
#pragma unroll 1
    for (i32 cell = lane_; cell < S::tile; cell += 32) {
      if (cell < useful_begin_ || cell >= useful_end_) continue;
      values[cell] = row[place_of_chunk<S>(cell / S::chunk)].values[cell % S::chunk];
    }
  }

  const Task& task_;
  i32 lane_, warp_, warps_;
  Chunk* shared_;
  i32 count_, halo_, batches_;     // rows to make; rows before them that are read; batches of all that are read
  i64 first_row_;                  // that is read
  i64 first_column_;               // of the tile
  i32 useful_begin_, useful_end_;  // cells of the tile that are written
  bool at_left_, at_right_;        // true if the tile ends at the grid's end
  StreamRims kept_;
  RowRange piece_{0, 0};  // the piece that rows are read from
  const T* piece_values_ = nullptr;
  StreamLevel<S> levels_[S::levels] = {};
};

template <class S>
__global__ void __launch_bounds__(32 * S::warps, S::sizes.blocks)
    stream_kernel(const StencilState* state, const __grid_constant__ StreamTask<typename S::Value> task) {
  if (state->begun == 0) return;
  Stream<S>(task).run();
}

}  // namespace terrace::stencil
