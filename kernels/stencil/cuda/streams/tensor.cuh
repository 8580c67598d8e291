// Tensor copies between memory and the warps of a thread block that make levels of rows (kernel.cuh).
//
// One lane of the second warp, or of the only one, brings a batch for the first one in each tick, as far ahead as
// there are slots; one of the last warp writes what that one hands on. Where a batch does not lie in one piece of
// memory, or is not written as a whole, or the tile goes beyond periodic columns' ends, they move it row by row.
#pragma once

#include "kernels/stencil/cuda/streams/maps.hpp"
#include "kernels/stencil/cuda/streams/tile.cuh"

namespace terrace::stencil {

template <class S>
class StreamTensor {
  using T = typename S::Value;
  using Chunk = ValueChunk<T>;
  using Task = typename S::Task;

 public:
  using Maps = StreamMaps<S::fields>;

  __device__ __forceinline__ StreamTensor(const Task& task, const Maps& maps, Chunk* shared)
      : task_(task), maps_(maps), shared_(shared) {}

  /// One thread, before a barrier.
  __device__ __forceinline__ void begin() const {
    for (i32 slot = 0; slot < S::slots; ++slot) device::begin_arrivals(signals().arrived[slot]);
    for (i32 f = 0; f < S::fields; ++f) signals().from[f] = signals().to[f] = {0, 0, -1, 0};
  }
  /// All warps, before the first tick: brings the first batches. @return false: every warp makes levels
  __device__ __forceinline__ bool run() const {
    if (S::warp() == fetching_warp()) {
#pragma unroll 1
      for (i32 batch = 0; batch < S::slots - 1; ++batch) fetch(batch);
    }
    return false;
  }
  /// All warps, in each tick: the slot of the batch before, which the first warp has taken, is filled again.
  __device__ __forceinline__ void bring(i32 tick) const {
    if (S::warp() == fetching_warp()) fetch(tick + S::slots - 1);
  }
  /// All warps, after the last tick.
  __device__ __forceinline__ void end() const {
    if (S::warp() + 1 == S::level_warps() && device::is_elected()) device::wait_for_bulk_reads<0>();
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
  __device__ __forceinline__ void hand_on(i32 batch) const {
    device::show_to_bulk_copies();
    __syncwarp();
    if (!device::is_elected()) return;
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) write(f, batch, shared_ + S::output_at_slot(batch) + f * field_pitch);
    device::commit_bulk_writes();
  }
  /// The last warp: places what it hands on of chunk `number` of a lane's.
  template <bool edges>
  __device__ __forceinline__ static OutputPlace output_place(i32 lane, i32 number) {
    const i32 at = lane * S::lane_chunks + number, part = lane / S::part_lanes;
    const i32 before = S::parts == 1 || part == 0 ? S::side_chunks : S::part_chunks;  // of the middle's part
    const OutputPlace middle{middle_at(part) + at - before, S::middle_chunks, true};
    const i32 right = S::chunks - S::side_chunks;
    if (!edges) return {middle.at, middle.pitch, at >= S::side_chunks && at < right};
    if (at < S::side_chunks) return {side_at(0) + at, S::side_chunks, true};
    if (at >= right) return {side_at(1) + at - right, S::side_chunks, true};
    return middle;
  }
  static constexpr i32 field_pitch = S::field_output_chunks;

 private:
  /// Places of a batch of a field in the output: of a part of the middle, and of a side.
  TERRACE_HOST_DEVICE static constexpr i32 middle_at(i32 part) { return part * S::middle_box; }
  TERRACE_HOST_DEVICE static constexpr i32 side_at(i32 side) { return S::parts * S::middle_box + side * S::side_box; }

  __device__ __forceinline__ typename S::Signals& signals() const {
    return *reinterpret_cast<typename S::Signals*>(shared_ + S::signals_at);
  }
  __device__ __forceinline__ const StreamTile& tile() const {
    return *reinterpret_cast<const StreamTile*>(shared_ + S::tile_at);
  }
  /// The first and the last warp have more to do than those between.
  static __device__ __forceinline__ i32 fetching_warp() { return S::level_warps() > 2 ? 1 : 0; }
  static __device__ __forceinline__ i32 first_cell_of(i32 part) { return part * S::part_chunks * S::chunk; }

  /// Begins to bring a batch of rows, unless there are no more.
  __device__ __forceinline__ void fetch(i32 batch) const {
    if (!device::is_elected() || batch >= tile().batches) return;
    device::Arrivals& arrivals = signals().arrived[batch & (S::slots - 1)];
    device::expect_bytes(arrivals, S::batch_chunks * 16);
    Chunk* to = shared_ + S::input_at_slot(batch);
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
      StreamRun run = signals().from[f];
      if (batch >= run.end) signals().from[f] = run = place_from(f, batch);
      if (run.map < 0) {
        fetch_rows(f, batch, to + S::row_at(f, 0), arrivals);
        continue;
      }
      const i32 column = static_cast<i32>(tile().first_column), row = run.row + batch * S::rows;
#pragma unroll
      for (i32 part = 0; part < S::parts; ++part) {
        device::begin_tensor_copy(to + S::row_at(f, 0) + part * (S::rows * S::part_chunks), maps_.from[f][run.map],
                                  column + first_cell_of(part), row, arrivals);
      }
    }
  }
  __device__ void fetch_rows(i32 f, i32 batch, Chunk* to, device::Arrivals& arrivals) const {
    const i32 before = tile().before, beyond = tile().beyond;
    const i64 width = task_.width;
#pragma unroll 1
    for (i32 row = 0; row < S::rows; ++row, to += S::part_chunks) {
      const T* values = row_from(f, batch * S::rows + row) + tile().first_column;
#pragma unroll 1
      for (i32 span = 0; span < 3 * S::parts; ++span) {
        const i32 part = span / 3, third = span % 3, first = first_cell_of(part), last = first_cell_of(part + 1);
        i32 begin = third == 0 ? 0 : third == 1 ? before : beyond;
        i32 end = third == 0 ? before : third == 1 ? beyond : S::tile;
        begin = begin > first ? begin : first;
        end = end < last ? end : last;
        if (begin >= end) continue;
        const T* from = values + begin + (third == 0 ? width : third == 1 ? 0 : -width);
        device::begin_bulk_copy(to + part * (S::rows * S::part_chunks) + (begin - first) / S::chunk, from,
                                static_cast<u32>(end - begin) * static_cast<u32>(sizeof(T)), arrivals);
      }
    }
  }

  /// Begins to write a batch of a field.
  __device__ __forceinline__ void write(i32 f, i32 batch, const Chunk* from) const {
    StreamRun run = signals().to[f];
    if (batch >= run.end) signals().to[f] = run = place_to(f, batch);
    if (run.none != 0) return;
    if (run.map < 0) return write_rows(f, batch, from);
    const i32 column = static_cast<i32>(tile().first_column), row = run.row + batch * S::rows;
#pragma unroll
    for (i32 part = 0; part < S::parts; ++part) {
      const i32 begin = part == 0 ? S::side() : first_cell_of(part);
      device::begin_tensor_write(maps_.to[f][run.map], column + begin, row, from + middle_at(part));
    }
    if (tile().at_left != 0) device::begin_tensor_write(maps_.sides[f][run.map], column, row, from + side_at(0));
    if (tile().at_right != 0) {
      device::begin_tensor_write(maps_.sides[f][run.map], column + S::tile - S::side(), row, from + side_at(1));
    }
  }
  __device__ void write_rows(i32 f, i32 batch, const Chunk* from) const {
    const i32 end = tile().beyond;
#pragma unroll 1
    for (i32 row = 0; row < S::rows; ++row) {
      const i32 number = batch * S::rows + row - tile().first_written;
      if (number < 0 || number >= tile().count) continue;
      const i64 in_grid = tile().first_row + S::halo() + number;
      T* values = task_.to[f].row(in_grid, task_.width) + tile().first_column;
      const auto write = [&](i32 first, i32 chunks, i32 at) {
        const i32 cells = end - first < chunks * S::chunk ? end - first : chunks * S::chunk;
        if (cells <= 0) return;
        device::begin_bulk_write(values + first, from + at + row * chunks,
                                 static_cast<u32>(cells) * static_cast<u32>(sizeof(T)));
      };
#pragma unroll 1
      for (i32 part = 0; part < S::parts; ++part) {
        write(part == 0 ? S::side() : first_cell_of(part), S::middle_chunks, middle_at(part));
      }
      if (tile().at_left != 0) write(0, S::side_chunks, side_at(0));
      if (tile().at_right != 0) write(S::tile - S::side(), S::side_chunks, side_at(1));
    }
  }

  /// A row of the grid, modulo its extent if rows wrap.
  __device__ __forceinline__ i64 wrapped(i64 row) const {
    if (task_.wraps_rows != 0) {
      while (row < 0) row += task_.extent;
      while (row >= task_.extent) row -= task_.extent;
    }
    return row;
  }
  /// The first value of a row that is read. Rows beyond those that there are contribute to nothing that is written:
  /// another one takes their place.
  __device__ __forceinline__ const T* row_from(i32 f, i32 number) const {
    const Lines<T>& from = task_.from[f];
    i64 row = wrapped(tile().first_row + number);
    row = row < from.begin[0] ? from.begin[0] : row >= from.end ? from.end - 1 : row;
    return from.row(row, task_.width);
  }
  /// Where a batch is read. Zeros take the place of rows beyond those that there are.
  __device__ StreamRun place_from(i32 f, i32 batch) const {
    const Lines<T>& from = task_.from[f];
    const i64 row = wrapped(tile().first_row + i64{batch} * S::rows);
    const i32 piece = row < from.begin[0] ? 0 : from.piece_of(row);
    const bool is_last = piece + 1 == from.pieces && task_.wraps_rows == 0;
    if (tile().before > 0 || tile().beyond < S::tile) return by_rows(1 << 30);
    return run_of(from, piece, row, is_last ? i64{1} << 30 : from.rows_of(piece).end - row, batch);
  }
  __device__ StreamRun place_to(i32 f, i32 batch) const {
    const i32 number = batch * S::rows - tile().first_written, left = tile().count - number;
    if (number + S::rows <= 0 || left <= 0) return {batch + 1, 0, -1, 1};
    if (number < 0) return by_rows(batch + 1);
    const Lines<T>& to = task_.to[f];
    const i64 row = tile().first_row + S::halo() + number;
    const i32 piece = to.piece_of(row);
    const i64 rows = to.rows_of(piece).end - row;
    return run_of(to, piece, row, rows < left ? rows : left, batch);
  }
  static __device__ __forceinline__ StreamRun by_rows(i32 end) { return {end, 0, -1, 0}; }
  /// The batches from one on whose first row is `row`, of which so many rows lie in a piece.
  __device__ __forceinline__ StreamRun run_of(const Lines<T>& lines, i32 piece, i64 row, i64 rows, i32 batch) const {
    if (rows < S::rows || piece >= Maps::most_pieces) return by_rows(batch + 1);
    return {batch + static_cast<i32>(rows / S::rows), static_cast<i32>(row - lines.begin[piece]) - batch * S::rows,
            piece, 0};
  }

  const Task& task_;
  const Maps& maps_;
  Chunk* shared_;
};

}  // namespace terrace::stencil
