// The way of rows between memory and the warps of a thread block that streams them (stream_kernel.cuh).
//
// Bulk copies move rows that begin at multiples of 16 bytes. The first threads of the warps begin them: those from
// memory from the first warp on, those to memory from the last one on, so that no warp has much more to do than the
// others. Other rows are moved by all threads, value by value.
#pragma once

#include "kernels/stencil/cuda/stream_tile.cuh"

namespace terrace::stencil {

template <class S>
class StreamMover {
  using T = typename S::Value;
  using Chunk = StreamChunk<T>;
  using Task = typename S::Task;
  using Places = StreamPlaces<T, S::fields>;

 public:
  __device__ __forceinline__ StreamMover(const Task& task, Chunk* shared) : task_(task), shared_(shared) {}

  /// All threads, before a barrier.
  __device__ __forceinline__ void begin() const {
    if (S::lane() == 0) places() = {};
    if (threadIdx.x < S::slots) device::begin_arrivals(arrivals(static_cast<i32>(threadIdx.x)), batch_rows);
  }
  /// Begins to bring a batch of rows, all threads.
  __device__ __forceinline__ void fetch(i32 batch) const {
    if (in_bulk()) fetch_rows(batch);
    else fetch_cells(task_, shared_, batch);
  }
  /// Begins to bring the batch that is due in a tick, and to write what the last warp has handed on, all threads.
  __device__ __forceinline__ void move(i32 tick) const {
    if (in_bulk()) {
      fetch_rows(tick + S::slots - 1);
      write_rows(tick);
    } else {
      fetch_cells(task_, shared_, tick + S::slots - 1);
      write_cells(task_, shared_, tick);
    }
  }
  /// Waits for a batch: the first warp.
  __device__ __forceinline__ void wait_for(i32 batch) const {
    if (!in_bulk()) return;
    while (!device::wait_for_arrival(arrivals(batch & (S::slots - 1)), static_cast<u32>(batch / S::slots & 1))) {
    }
  }
  /// Ends a tick, all threads.
  __device__ __forceinline__ void end_tick() const {
    if (in_bulk()) {
      if (S::warp() + 1 == S::launched_warps()) device::show_to_bulk_copies();
      device::wait_for_bulk_reads<0>();  // the next tick overwrites what this one writes
    } else {
      device::wait_for_copies<S::slots - 2>();  // the next tick's batch
    }
    __syncthreads();
  }

 private:
  __device__ __forceinline__ bool in_bulk() const { return device::has_bulk_copies && task_.aligned != 0; }
  static constexpr i32 batch_rows = S::rows * S::fields;
  __device__ __forceinline__ const StreamTile& tile() const {
    return *reinterpret_cast<const StreamTile*>(shared_ + S::tile_at);
  }
  __device__ __forceinline__ device::Arrivals& arrivals(i32 slot) const {
    return reinterpret_cast<device::Arrivals*>(shared_ + S::arrivals_at)[slot];
  }
  /// This warp's.
  __device__ __forceinline__ Places& places() const {
    return reinterpret_cast<Places*>(shared_ + S::places_at)[S::warp()];
  }

  __device__ __forceinline__ void fetch_rows(i32 batch) const {
    if (S::lane() != 0 || batch >= tile().batches) return;
    device::Arrivals& arrivals = this->arrivals(batch & (S::slots - 1));
#pragma unroll 1
    for (i32 row = S::warp(); row < batch_rows; row += S::launched_warps()) {
      Chunk* to = shared_ + S::input_at_slot(batch) + row * S::chunks;
      const T* values = row_from<false>(row, batch);
      device::expect_bytes(arrivals, S::chunks * 16);
      if (task_.wraps_columns == 0) device::begin_bulk_copy(to, values, S::chunks * 16, arrivals);
      else fetch_wrapped(to, values, task_.width, tile(), arrivals);
    }
  }
  /// A row of the tile where columns are periodic. Not inlined: registers are for cells.
  static __device__ __noinline__ void fetch_wrapped(Chunk* to, const T* values, i64 width, const StreamTile& tile,
                                                    device::Arrivals& arrivals) {
    const auto fetch = [&](const T* first, i32 begin, i32 end) {
      if (begin >= end) return;
      device::begin_bulk_copy(to + begin / S::chunk, first + begin,
                              static_cast<u32>(end - begin) * static_cast<u32>(sizeof(T)), arrivals);
    };
    fetch(values + width, 0, tile.before);
    fetch(values, tile.before, tile.beyond);
    fetch(values - width, tile.beyond, S::tile);
  }
  __device__ __forceinline__ void write_rows(i32 tick) const {
    if (S::lane() != 0) return;
#pragma unroll 1
    for (i32 row = S::launched_warps() - 1 - S::warp(); row < batch_rows; row += S::launched_warps()) {
      T* values = row_to<false>(row, tick);
      if (values == nullptr) continue;
      const Chunk* from = shared_ + S::handed_on_at(S::launched_warps() - 1, tick - 1) + row * S::chunks;
      device::begin_bulk_write(values, from + tile().useful_begin / S::chunk, static_cast<u32>(tile().useful_bytes));
      device::commit_bulk_writes();
    }
  }

  // Value by value. Not inlined, as above.
  static __device__ __noinline__ void fetch_cells(const Task& task, Chunk* shared, i32 batch) {
    const StreamMover mover(task, shared);
    const StreamTile& tile = mover.tile();
    if (batch < tile.batches) {
      T* to = reinterpret_cast<T*>(shared + S::input_at_slot(batch));
#pragma unroll 1
      for (i32 row = 0; row < batch_rows; ++row, to += S::tile) {
        const T* values = mover.template row_from<true>(row, batch);
#pragma unroll 1
        for (i32 cell = static_cast<i32>(threadIdx.x); cell < S::tile; cell += static_cast<i32>(blockDim.x)) {
          const i64 wrapped = task.wraps_columns == 0 ? cell
                              : cell < tile.before    ? cell + task.width
                              : cell >= tile.beyond   ? cell - task.width
                                                      : i64{cell};
          device::begin_small_copy(to + cell, values + wrapped);
        }
      }
    }
    device::commit_copies();
  }
  static __device__ __noinline__ void write_cells(const Task& task, Chunk* shared, i32 tick) {
    const StreamMover mover(task, shared);
    const T* from = reinterpret_cast<const T*>(shared + S::handed_on_at(S::launched_warps() - 1, tick - 1));
    const i32 cells = mover.tile().useful_bytes / static_cast<i32>(sizeof(T));
    from += mover.tile().useful_begin;
#pragma unroll 1
    for (i32 row = 0; row < batch_rows; ++row, from += S::tile) {
      T* values = mover.template row_to<true>(row, tick);
      if (values == nullptr) continue;
#pragma unroll 1
      for (i32 cell = static_cast<i32>(threadIdx.x); cell < cells; cell += static_cast<i32>(blockDim.x)) {
        values[cell] = from[cell];
      }
    }
  }

  /// The memory of a row of a batch that is read. A warp, or one thread of it, asks for rows in their order.
  template <bool whole_warp>
  __device__ __forceinline__ const T* row_from(i32 row, i32 batch) const {
    const i32 field = row % S::fields, number = batch * S::rows + row / S::fields;
    StreamPlace<T> place = places().from[field];
    if (number >= place.end) {
      keep<whole_warp>(places().from[field], place = place_from(task_, tile(), field, number));
    }
    return row_in(place, number);
  }
  /// The first cell that is written of a row of the batch that is written in a tick; null if the row is not one of the
  /// chunk. Alike.
  template <bool whole_warp>
  __device__ __forceinline__ T* row_to(i32 row, i32 tick) const {
    const i32 field = row % S::fields, number = tick * S::rows + row / S::fields - tile().first_written;
    if (static_cast<u32>(number) >= static_cast<u32>(tile().count)) return nullptr;
    StreamPlace<T> place = places().to[field];
    if (number >= place.end) {
      keep<whole_warp>(places().to[field], place = place_to(task_, tile(), field, number));
    }
    return row_in(place, number);
  }
  __device__ __forceinline__ T* row_in(const StreamPlace<T>& place, i32 number) const {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(place.row_0) + i64{number} * task_.row_bytes);
  }
  template <bool whole_warp>
  static __device__ __forceinline__ void keep(StreamPlace<T>& kept, const StreamPlace<T>& place) {
    if (whole_warp) __syncwarp();
    if (S::lane() == 0) kept = place;
    if (whole_warp) __syncwarp();
  }

  /// The memory of a row that is read, and of those after it. Not inlined: it is seldom called.
  static __device__ __noinline__ StreamPlace<T> place_from(const Task& task, const StreamTile& tile, i32 field,
                                                           i32 number) {
    i64 row = tile.first_row + number;
    if (task.wraps_rows != 0) {
      while (row < 0) row += task.extent;
      while (row >= task.extent) row -= task.extent;
    }
    const Lines<T>& from = task.from[field];
    // Rows beyond those that there are contribute to nothing that is written: another one takes their place.
    const bool is_there = row >= from.begin[0] && row < from.end;
    if (!is_there) row = row < from.begin[0] ? from.begin[0] : from.end - 1;
    return place_in(from, task.width, tile, row, number, is_there ? from.rows_of(from.piece_of(row)).end - row : 1);
  }
  static __device__ __noinline__ StreamPlace<T> place_to(const Task& task, const StreamTile& tile, i32 field,
                                                         i32 number) {
    const i64 row = tile.first_row + S::halo() + number;
    const Lines<T>& to = task.to[field];
    StreamPlace<T> place = place_in(to, task.width, tile, row, number, to.rows_of(to.piece_of(row)).end - row);
    place.row_0 += tile.useful_begin;
    return place;
  }
  /// @param row of the grid, that takes the place of row `number` of the block @param rows that follow one another
  static __device__ __forceinline__ StreamPlace<T> place_in(const Lines<T>& lines, i64 width, const StreamTile& tile,
                                                            i64 row, i32 number, i64 rows) {
    const i64 end = number + rows;
    return {lines.row(row, width) + tile.first_column - number * width,
            static_cast<i32>(end < 1 << 30 ? end : 1 << 30)};
  }

  const Task& task_;
  Chunk* shared_;
};

}  // namespace terrace::stencil
