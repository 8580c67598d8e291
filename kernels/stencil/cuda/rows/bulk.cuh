// Bulk copies between memory and the warps of a thread block that make levels of rows (kernel.cuh).
//
// One lane of the first warp brings a batch in each tick, as far ahead as there are slots; one of the last warp
// writes what that one hands on. While the rows of batches follow one another in memory, their places are found by
// addition; a batch that lies in several pieces, or is written in part, is moved in a tick of its own, row by row.
#pragma once

#include "kernels/stencil/cuda/rows/tile.cuh"

namespace terrace::stencil {

template <class S>
class StreamBulk {
  using T = typename S::Value;
  using Chunk = ValueChunk<T>;
  using Task = typename S::Task;

 public:
  __device__ __forceinline__ StreamBulk(const Task& task, Chunk* shared, i32 warp)
      : task_(task), shared_(shared), is_first_(warp == 0), is_last_(warp + 1 == S::level_warps()) {}

  /// One thread, before a barrier.
  __device__ __forceinline__ void begin() const {
    for (i32 slot = 0; slot < S::slots; ++slot) device::begin_arrivals(signals().arrived[slot]);
    for (i32 f = 0; f < S::fields; ++f) signals().to[f] = run_to(f, 0);
  }
  /// All warps, before the first tick: brings the first batches. @return false: every warp makes levels
  __device__ __forceinline__ bool run() const {
    if (is_first_) {
#pragma unroll 1
      for (i32 batch = 0; batch < S::slots - 1; ++batch) fetch<false>(batch);
    }
    return false;
  }
  /// The tick up to which all batches that this warp moves follow one another in memory.
  __device__ __forceinline__ i32 end_of_runs() const {
    __syncwarp();
    i32 end = 1 << 30;
    const auto at_most = [&](i32 tick) { end = tick < end ? tick : end; };
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
      if (is_first_ && signals().from[f].end < tile().batches) at_most(signals().from[f].end - (S::slots - 1));
      if (is_last_) at_most(signals().to[f].end + S::level_warps() - 1);
    }
    return device::uniform(end);
  }

  /// All warps, in each tick: fills the slot of the batch before, which the first warp has taken.
  /// @tparam plain true if the tick is below end_of_runs()
  template <bool plain>
  __device__ __forceinline__ void bring(i32 tick) const {
    if (is_first_) fetch<plain>(tick + S::slots - 1);
  }
  /// All warps, after the last tick.
  __device__ __forceinline__ void end() const {
    if (is_last_ && device::is_elected()) device::wait_for_bulk_reads<0>();
  }

  /// The first warp: waits for a batch, and lets its slot be filled again.
  __device__ __forceinline__ void wait_for_batch(i32 batch) const {
    const u32 parity = static_cast<u32>(batch / S::slots & 1);
    while (!device::wait_for_end(signals().arrived[batch & (S::slots - 1)], parity)) {
    }
  }
  __device__ __forceinline__ void let_slot(i32) const {}

  /// The last warp: waits until the slot of a batch may be filled, and hands the batch on.
  __device__ __forceinline__ void wait_for_output(i32) const {
    if (device::is_elected()) device::wait_for_bulk_reads<S::output_slots - 1>();
    __syncwarp();
  }
  template <bool plain>
  __device__ __forceinline__ void hand_on(i32 batch) const {
    device::show_to_bulk_copies();
    __syncwarp();
    if (!device::is_elected()) return;
    const Chunk* from = shared_ + S::output_at_slot(batch) + tile().useful_begin / S::chunk;
    const u32 bytes = static_cast<u32>(tile().useful) * static_cast<u32>(sizeof(T));
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
      BulkRun<T>& run = signals().to[f];
      T* row = run.row;
      if constexpr (plain) {
        if (row == nullptr) continue;
        run.row = row + S::rows * task_.width;
#pragma unroll
        for (i32 i = 0; i < S::rows; ++i, row += task_.width)
          device::begin_bulk_write(row, from + S::row_at(f, i), bytes);
      } else {
#pragma unroll 1
        for (i32 i = 0; i < S::rows; ++i) {
          row = row_to(f, batch * S::rows + i);
          if (row != nullptr) device::begin_bulk_write(row, from + S::row_at(f, i), bytes);
        }
        run = run_to(f, batch + 1);
      }
    }
    device::commit_bulk_writes();
  }

 private:
  __device__ __forceinline__ typename S::Signals& signals() const {
    return *reinterpret_cast<typename S::Signals*>(shared_ + S::signals_at);
  }
  __device__ __forceinline__ const StreamTile& tile() const {
    return *reinterpret_cast<const StreamTile*>(shared_ + S::tile_at);
  }

  /// Begins to bring a batch of rows, unless there are no more.
  template <bool plain>
  __device__ __forceinline__ void fetch(i32 batch) const {
    if (!device::is_elected() || batch >= tile().batches) return;
    device::Arrivals& arrivals = signals().arrived[batch & (S::slots - 1)];
    device::expect_bytes(arrivals, S::batch_chunks * 16);
    Chunk* to = shared_ + S::input_at_slot(batch);
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
      BulkRun<T>& run = signals().from[f];
      if constexpr (plain) {
        const T* row = run.row;
        run.row += S::rows * task_.width;
#pragma unroll
        for (i32 i = 0; i < S::rows; ++i, row += task_.width) fetch_row(to + S::row_at(f, i), row, arrivals);
      } else {
#pragma unroll 1
        for (i32 i = 0; i < S::rows; ++i) fetch_row(to + S::row_at(f, i), row_from(f, batch * S::rows + i), arrivals);
        run = run_from(f, batch + 1);
      }
    }
  }
  /// The cells beyond an end of periodic columns lie at the other end.
  __device__ __forceinline__ void fetch_row(Chunk* to, const T* row, device::Arrivals& arrivals) const {
    if (task_.wraps_columns == 0) {
      device::begin_bulk_copy(to, row, static_cast<u32>(S::chunks * 16), arrivals);
      return;
    }
    const i32 split = tile().before > 0 ? tile().before : tile().beyond;
    device::begin_bulk_copy(to, row, static_cast<u32>(split) * static_cast<u32>(sizeof(T)), arrivals);
    if (split == S::tile) return;
    device::begin_bulk_copy(to + split / S::chunk, row + split - task_.width,
                            static_cast<u32>(S::tile - split) * static_cast<u32>(sizeof(T)), arrivals);
  }

  /// The first cell of the tile in a row that is read.
  __device__ __forceinline__ T* cells_from(const Lines<T>& from, i64 row) const {
    return from.row(row, task_.width) + tile().first_column + (tile().before > 0 ? task_.width : 0);
  }
  /// The same of the row of that number.
  __device__ __forceinline__ const T* row_from(i32 f, i32 number) const {
    const Lines<T>& from = task_.from[f];
    return cells_from(from, from.nearest(row_read(task_, tile(), number)));
  }
  /// The first cell that is written of the row of that number; null if it is not one of the chunk.
  __device__ __forceinline__ T* row_to(i32 f, i32 number) const {
    const i32 written = number - tile().first_written;
    if (written < 0 || written >= tile().count) return nullptr;
    return cells_to(task_.to[f], row_written<S>(tile(), written));
  }
  __device__ __forceinline__ T* cells_to(const Lines<T>& to, i64 row) const {
    return to.row(row, task_.width) + tile().first_column + tile().useful_begin;
  }

  /// The batches from one on that follow one another.
  __device__ BulkRun<T> run_from(i32 f, i32 batch) const {
    const Lines<T>& from = task_.from[f];
    const i64 row = row_read(task_, tile(), batch * S::rows);
    if (!from.has(row)) return {nullptr, batch};
    return {cells_from(from, row), end_of(batch, from.rows_of(from.piece_of(row)).end - row)};
  }
  /// The same of those that are written as a whole, or not at all.
  __device__ BulkRun<T> run_to(i32 f, i32 batch) const {
    const i32 number = batch * S::rows - tile().first_written, left = tile().count - number;
    if (left <= 0) return {nullptr, 1 << 30};
    if (number + S::rows <= 0) return {nullptr, tile().first_written / S::rows};
    if (number < 0) return {nullptr, batch};
    const Lines<T>& to = task_.to[f];
    const i64 row = row_written<S>(tile(), number), rows = to.rows_of(to.piece_of(row)).end - row;
    return {cells_to(to, row), end_of(batch, rows < left ? rows : left)};
  }
  static __device__ __forceinline__ i32 end_of(i32 batch, i64 rows) {
    const i64 end = batch + rows / S::rows;
    return static_cast<i32>(end < 1 << 30 ? end : 1 << 30);
  }

  const Task& task_;
  Chunk* shared_;
  bool is_first_, is_last_;  // of the warps
};

}  // namespace terrace::stencil
