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

#include "kernels/stencil/cuda/stream_level.cuh"

namespace terrace::stencil {

/// A thread's share of a launch.
template <class S>
class Stream {
  using T = typename S::Value;
  using Chunk = StreamChunk<T>;
  using Task = StreamTask<T>;

 public:
  __device__ __forceinline__ explicit Stream(const Task& task)
      : task_(task), shared_(reinterpret_cast<Chunk*>(device::launch_shared_memory())) {
    if (threadIdx.x == 0) place_tile();
    __syncthreads();
    at_left_ = tile().at_left != 0 && lane() == 0;
    at_right_ = tile().at_right != 0 && lane() == 31;
  }

  __device__ __forceinline__ void run() {
    for (i32 batch = 0; batch + 1 < S::slots && warp() == 0; ++batch) fetch(batch);
    const i32 ticks = tile().batches + warps() - 1;
    i32 begin = first_plain_tick(), end = end_of_plain_ticks();
    if (end < begin) begin = end = ticks;
    const bool edges = tile().at_left != 0 || tile().at_right != 0;
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
  static __device__ __forceinline__ i32 lane() { return static_cast<i32>(threadIdx.x % 32); }
  static __device__ __forceinline__ i32 warp() { return static_cast<i32>(threadIdx.x / 32); }
  static __device__ __forceinline__ i32 warps() { return static_cast<i32>(blockDim.x / 32); }
  /// Rows above the chunk that are read.
  static __device__ __forceinline__ i32 halo() { return S::lag * warps(); }
  /// Cells of the tile at a side that are not written: as many, in whole chunks.
  static __device__ __forceinline__ i32 margin() { return (halo() + S::chunk - 1) / S::chunk * S::chunk; }
  __device__ __forceinline__ StreamTile<T>& tile() const {
    return *reinterpret_cast<StreamTile<T>*>(shared_ + S::tile_at);
  }

  __device__ __forceinline__ void place_tile() {
    StreamTile<T>& tile = this->tile();
    const u32 tiles = static_cast<u32>(task_.tiles), number = blockIdx.x % tiles, chunk = blockIdx.x / tiles;
    const i64 begin = task_.rows.begin + chunk * task_.chunk_rows, left = task_.rows.end - begin;
    tile.from = tile.to = {nullptr, 0};
    tile.first_row = begin - halo();
    tile.count = static_cast<i32>(task_.chunk_rows < left ? task_.chunk_rows : left);
    tile.batches = (tile.count + 2 * halo() + S::rows - 1) / S::rows;
    const bool keeps = task_.keeps_rows != 0;
    tile.low = keeps ? counted(S::radius) : -(1 << 30);
    tile.high = keeps ? counted(task_.extent - S::radius) : 1 << 30;
    place_columns(number, number + 1 == tiles);
  }
  __device__ __forceinline__ void place_columns(i64 number, bool is_last) {
    StreamTile<T>& tile = this->tile();
    const bool wraps = task_.wraps_columns != 0;
    tile.at_left = !wraps && number == 0;
    tile.at_right = !wraps && is_last;
    // The last tile ends at the grid's end, and leaves out what the one before has.
    const i64 done = number == 0 ? 0 : number * task_.stride + (wraps ? 0 : margin());
    const i64 begin = tile.at_right != 0 ? task_.width - S::tile : number * task_.stride - (wraps ? margin() : 0);
    const i64 columns = task_.width - begin;
    tile.first_column = begin;
    tile.useful_begin = static_cast<i32>(done - begin);
    tile.useful_end = tile.at_right != 0 ? S::tile : S::tile - margin();
    if (wraps && tile.useful_end > columns) tile.useful_end = static_cast<i32>(columns);
    tile.before = begin < 0 ? static_cast<i32>(-begin) : 0;
    tile.beyond = columns < S::tile ? static_cast<i32>(columns) : S::tile;
  }
  /// A row of the grid as StreamTile counts it.
  __device__ __forceinline__ i32 counted(i64 row) const {
    const i64 number = row - tile().first_row;
    return static_cast<i32>(number < -(1 << 30) ? -(1 << 30) : number > 1 << 30 ? 1 << 30 : number);
  }

  /// Ticks [first_plain_tick(), end_of_plain_ticks()) have rows for every warp, none of which is kept.
  __device__ __forceinline__ i32 first_plain_tick() const {
    if (task_.levels != warps() * S::levels) return 1 << 30;  // some levels are not made
    // Warp w makes rows from batch * rows - (w + 1) * lag on.
    const i32 last = tile().low + halo();
    return warps() - 1 + (last <= 0 ? 0 : (last + S::rows - 1) / S::rows);
  }
  __device__ __forceinline__ i32 end_of_plain_ticks() const {
    // Warp 0 is ahead of all others: a batch begins the sums of rows up to `radius` below it.
    const i32 end = tile().high <= S::radius ? 0 : (tile().high - S::radius) / S::rows;
    return end < tile().batches ? end : tile().batches;
  }

  /// Lets every warp take its next batch. A warp is a tick behind the one before it.
  template <bool edges, bool rims>
  __device__ __forceinline__ void advance(i32 tick) {
    const i32 batch = tick - warp();
    if (!rims || (batch >= 0 && batch < tile().batches)) {
      if (warp() == 0) {
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
    const StreamRims kept{at_left_, at_right_, rims ? tile().low : 0, rims ? tile().high : 0};
    const bool is_last = warp() + 1 == warps();
    const Chunk* from = shared_ + (warp() == 0 ? S::input_at + (batch & (S::slots - 1)) * S::rows * S::chunks
                                               : handed_on(warp() - 1, tick - 1));
    Chunk* to = shared_ + (is_last ? S::output_at : handed_on(warp(), tick));
#pragma unroll
    for (i32 i = 0; i < S::rows; ++i) {
      T x[S::cells];
      load_row(from + i * S::chunks, x);
      const i32 row = batch * S::rows + i - warp() * S::lag;
#pragma unroll
      for (i32 level = 0; level < S::levels; ++level) {
        const bool all_kept = rims && warp() * S::levels + level >= task_.levels;
        levels_[level].template add<edges, rims>(x, task_.coefficients, kept, row - level * S::radius, all_kept);
      }
      store_row(to + i * S::chunks, x);
    }
    if (is_last) {
      __syncwarp();
#pragma unroll
      for (i32 i = 0; i < S::rows; ++i) write_row(batch * S::rows + i - 2 * halo(), to + i * S::chunks);
      __syncwarp();
    }
  }
  __device__ __forceinline__ i32 handed_on(i32 warp, i32 tick) const {
    return S::hand_on_at + (2 * warp + (tick & 1)) * S::rows * S::chunks;
  }

  __device__ __forceinline__ void load_row(const Chunk* row, T (&x)[S::cells]) const {
#pragma unroll
    for (i32 q = 0; q < S::lane_chunks; ++q) {
      const Chunk chunk = row[place_of_chunk<S>(lane() * S::lane_chunks + q)];
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
      row[place_of_chunk<S>(lane() * S::lane_chunks + q)] = chunk;
    }
  }

  /// Begins to copy a batch of rows of the tile, which warp 0 does.
  __device__ __forceinline__ void fetch(i32 batch) {
    Chunk* to = shared_ + S::input_at + (batch & (S::slots - 1)) * S::rows * S::chunks;
    if (batch < tile().batches) {
#pragma unroll
      for (i32 i = 0; i < S::rows; ++i) fetch_row(batch * S::rows + i, to + i * S::chunks);
    }
    device::commit_copies();
  }
  __device__ __forceinline__ void fetch_row(i32 number, Chunk* to) {
    StreamPlace<T> place = tile().from;
    if (number >= place.end) keep(tile().from, place = place_from(task_, tile(), number));
    const T* values = place.row_0 + number * task_.width;
    if (task_.aligned != 0) {
#pragma unroll
      for (i32 n = 0; n < S::chunks / 32; ++n) {
        const i32 chunk = lane() + 32 * n;
        device::begin_copy(to + place_of_chunk<S>(chunk), values + wrapped(chunk * S::chunk));
      }
      return;
    }
#pragma unroll 1
    for (i32 cell = lane(); cell < S::tile; cell += 32) {
      device::begin_small_copy(&to[place_of_chunk<S>(cell / S::chunk)].values[cell % S::chunk],
                               values + wrapped(cell));
    }
  }
  /// The memory of a row that is read, and of those after it. Not inlined: it is seldom called.
  static __device__ __noinline__ StreamPlace<T> place_from(const Task& task, const StreamTile<T>& tile, i32 number) {
    i64 row = tile.first_row + number;
    if (task.wraps_rows != 0) {
      while (row < 0) row += task.extent;
      while (row >= task.extent) row -= task.extent;
    }
    const Lines<T>& from = task.from;
    // Rows beyond those that there are contribute to nothing that is written: another one takes their place.
    const bool is_there = row >= from.begin[0] && row < from.end;
    if (!is_there) row = row < from.begin[0] ? from.begin[0] : from.end - 1;
    return place_in(from, task.width, tile, row, number, is_there ? from.rows_of(from.piece_of(row)).end - row : 1);
  }
  static __device__ __noinline__ StreamPlace<T> place_to(const Task& task, const StreamTile<T>& tile, i32 number) {
    const i64 row = tile.first_row + halo() + number;
    return place_in(task.to, task.width, tile, row, number, task.to.rows_of(task.to.piece_of(row)).end - row);
  }
  /// @param row of the grid, that takes the place of row `number` of the block @param rows that follow one another
  static __device__ __forceinline__ StreamPlace<T> place_in(const Lines<T>& lines, i64 width,
                                                            const StreamTile<T>& tile, i64 row, i32 number,
                                                            i64 rows) {
    const i64 end = number + rows;
    return {lines.row(row, width) + tile.first_column - number * width,
            static_cast<i32>(end < 1 << 30 ? end : 1 << 30)};
  }
  __device__ __forceinline__ void keep(StreamPlace<T>& kept, const StreamPlace<T>& place) const {
    __syncwarp();
    if (lane() == 0) kept = place;
    __syncwarp();
  }
  /// A cell of the tile, or the one with its value where columns are periodic, counted alike.
  __device__ __forceinline__ i64 wrapped(i32 cell) const {
    if (task_.wraps_columns == 0) return cell;
    return cell < tile().before ? cell + task_.width : cell >= tile().beyond ? cell - task_.width : i64{cell};
  }

  /// Writes a complete row, counted from the chunk's first one on; nothing if it is not one of the chunk.
  __device__ __forceinline__ void write_row(i32 number, const Chunk* row) const {
    if (number < 0 || number >= tile().count) return;
    StreamPlace<T> place = tile().to;
    if (number >= place.end) keep(tile().to, place = place_to(task_, tile(), number));
    T* values = place.row_0 + number * task_.width;
    const i32 begin = tile().useful_begin, end = tile().useful_end;
    if (task_.aligned != 0) {
      // Chunks are written as a whole or not at all.
#pragma unroll
      for (i32 n = 0; n < S::chunks / 32; ++n) {
        const i32 chunk = lane() + 32 * n, cell = chunk * S::chunk;
        if (cell < begin || cell >= end) continue;
        *reinterpret_cast<Chunk*>(values + cell) = row[place_of_chunk<S>(chunk)];
      }
      return;
    }
#pragma unroll 1
    for (i32 cell = lane(); cell < S::tile; cell += 32) {
      if (cell < begin || cell >= end) continue;
      values[cell] = row[place_of_chunk<S>(cell / S::chunk)].values[cell % S::chunk];
    }
  }
  const Task& task_;
  Chunk* shared_;
  bool at_left_, at_right_;  // this lane's first or last cells are kept
  StreamLevel<S> levels_[S::levels] = {};
};

template <class S>
__global__ void __launch_bounds__(32 * S::warps, S::sizes.blocks)
    stream_kernel(const StencilState* state, const __grid_constant__ StreamTask<typename S::Value> task) {
  if (state->begun == 0) return;
  Stream<S>(task).run();
}

}  // namespace terrace::stencil
