// The warp that moves rows between memory and the warps of a thread block that make levels of them (kernel.cuh), if
// rows do not begin at multiples of 16 bytes.
//
// It keeps ahead of the first warp and behind the last one by a few batches, as far as there are slots. A lane knows
// the place of a row of a batch; all lanes together move its values.
#pragma once

#include "kernels/stencil/cuda/rows/tile.cuh"

namespace terrace::stencil {

template <class S>
class StreamMover {
  using T = typename S::Value;
  using Chunk = ValueChunk<T>;
  using Task = typename S::Task;

 public:
  __device__ __forceinline__ StreamMover(const Task& task, Chunk* shared, i32 warp)
      : task_(task), shared_(shared), warp_(warp) {}

  /// One thread, before a barrier.
  __device__ __forceinline__ void begin() const {
    for (i32 slot = 0; slot < S::slots; ++slot) {
      device::begin_phases(signals().brought[slot]);
      device::begin_phases(signals().taken[slot]);
    }
    for (i32 slot = 0; slot < S::output_slots; ++slot) {
      device::begin_phases(signals().handed_on[slot]);
      device::begin_phases(signals().written[slot]);
    }
  }

  /// The first warp: waits for a batch, and lets its slot be filled again.
  __device__ __forceinline__ void wait_for_batch(i32 batch) const {
    const i32 slot = batch & (S::slots - 1);
    wait(signals().brought[slot], static_cast<u32>(batch / S::slots & 1));
  }
  __device__ __forceinline__ void let_slot(i32 batch) const {
    device::end_phase(signals().taken[batch & (S::slots - 1)]);
  }
  /// The last warp: waits until the slot of a batch may be filled, and hands the batch on.
  __device__ __forceinline__ void wait_for_output(i32 batch) const {
    if (batch >= S::output_slots) wait_for_use(signals().written, S::output_slots, batch - S::output_slots);
  }
  template <bool>
  __device__ __forceinline__ void hand_on(i32 batch) const {
    device::end_phase(signals().handed_on[batch & (S::output_slots - 1)]);
  }

  /// All warps: any tick is like the others.
  __device__ __forceinline__ i32 end_of_runs() const { return 1 << 30; }
  /// All warps, in each tick, and after the last one.
  template <bool>
  __device__ __forceinline__ void bring(i32) const {}
  __device__ __forceinline__ void end() const {}

  /// All warps, before the first tick. @return true in the warp that moves rows: it has moved them all
  __device__ __forceinline__ bool run() {
    if (warp_ == S::level_warps()) move();
    return warp_ == S::level_warps();
  }

 private:
  __device__ __forceinline__ void move() {
    tile_ = *reinterpret_cast<const StreamTile*>(shared_ + S::tile_at);
    device::forget(shared_);
    // A batch comes out so many batches after it was brought that no warp waits for another one in a circle.
    const i32 behind = S::slots + S::level_warps(), batches = tile_.batches;
#pragma unroll 1
    for (i32 batch = 0; batch < batches + behind; ++batch) {
      if (batch < batches) fetch(batch);
      if (batch >= behind) write(batch - behind);
      // Batches arrive while another one is written.
      if (batch < batches) show_fetched(batch);
      else if (batch == batches) finish_fetches(batches);
    }
  }

  static constexpr i32 batch_rows = S::rows * S::fields;
  static_assert(batch_rows <= 32);

  static __device__ __forceinline__ i32 lane() { return S::lane(); }
  __device__ __forceinline__ typename S::Signals& signals() const {
    return *reinterpret_cast<typename S::Signals*>(shared_ + S::signals_at);
  }
  static __device__ __forceinline__ void wait(const device::Phases& phases, u32 parity) {
    while (!device::wait_for_end(phases, parity)) {
    }
  }
  /// Waits for the phase of a batch. @param count of the slots, a power of two
  static __device__ __forceinline__ void wait_for_use(const device::Phases* phases, i32 count, i32 batch) {
    wait(phases[batch & (count - 1)], static_cast<u32>(batch / count & 1));
  }

  /// Begins to bring a batch of rows.
  __device__ __forceinline__ void fetch(i32 batch) {
    if (batch >= S::slots) wait_for_use(signals().taken, S::slots, batch - S::slots);
    __syncwarp();
    fetch_cells(batch, lane() < batch_rows ? row_from(batch) : nullptr);
    device::commit_copies();
  }
  /// Shows the batch that has arrived when this one is the last that was begun.
  __device__ __forceinline__ void show_fetched(i32 batch) const {
    device::wait_for_copies<S::slots - 2>();
    if (batch >= S::slots - 2) device::end_phase(signals().brought[(batch - (S::slots - 2)) & (S::slots - 1)]);
  }
  __device__ __forceinline__ void finish_fetches(i32 batches) const {
    device::wait_for_copies<0>();
    for (i32 batch = batches > S::slots - 2 ? batches - (S::slots - 2) : 0; batch < batches; ++batch) {
      device::end_phase(signals().brought[batch & (S::slots - 1)]);
    }
  }
  __device__ __forceinline__ void fetch_cells(i32 batch, const T* values) const {
    T* to = reinterpret_cast<T*>(shared_ + S::input_at_slot(batch));
    const i32 before = tile_.before, beyond = tile_.beyond;
#pragma unroll 1
    for (i32 row = 0; row < batch_rows; ++row, to += S::tile) {
      const T* first = of_lane(values, row) + lane();
      if (before == 0 && beyond == S::tile) {
#pragma unroll
        for (i32 cell = 0; cell < S::tile; cell += 32) device::begin_small_copy(to + lane() + cell, first + cell);
      } else {
#pragma unroll 1
        for (i32 cell = lane(); cell < S::tile; cell += 32) {
          const i64 moved = cell < before ? task_.width : cell >= beyond ? -task_.width : 0;
          device::begin_small_copy(to + cell, first + (cell - lane()) + moved);
        }
      }
    }
  }

  /// Begins to write a batch that the last warp has handed on, or writes it.
  __device__ __forceinline__ void write(i32 batch) {
    T* values = lane() < batch_rows ? row_to(batch) : nullptr;
    wait_for_use(signals().handed_on, S::output_slots, batch);
    __syncwarp();
    const Chunk* from = shared_ + S::output_at_slot(batch);
    write_cells(reinterpret_cast<const T*>(from) + tile_.useful_begin, values);
    device::end_phase(signals().written[batch & (S::output_slots - 1)]);
  }
  __device__ __forceinline__ void write_cells(const T* cells, T* values) const {
#pragma unroll 1
    for (i32 row = 0; row < batch_rows; ++row, cells += S::tile) {
      T* first = of_lane(values, row);
      if (first == nullptr) continue;
      T value[S::cells];
#pragma unroll
      for (i32 k = 0; k < S::cells; ++k) {
        if (lane() + 32 * k < tile_.useful) value[k] = cells[lane() + 32 * k];
      }
#pragma unroll
      for (i32 k = 0; k < S::cells; ++k) {
        if (lane() + 32 * k < tile_.useful) first[lane() + 32 * k] = value[k];
      }
    }
  }

  /// A lane's pointer.
  template <class P>
  static __device__ __forceinline__ P* of_lane(P* pointer, i32 lane) {
    const auto bits = static_cast<unsigned long long>(reinterpret_cast<device::u64>(pointer));
    return reinterpret_cast<P*>(static_cast<device::u64>(__shfl_sync(~0u, bits, lane)));
  }

  /// The memory of this lane's row of a batch that is read. Batches are asked for in their order.
  __device__ __forceinline__ const T* row_from(i32 batch) {
    const i32 number = batch * S::rows + lane() / S::fields;
    if (number >= from_.end) from_ = place_from(lane() % S::fields, number);
    else from_.row += S::rows * task_.width;
    return from_.row;
  }
  /// The first cell that is written of this lane's row of a batch; null if the row is not one of the chunk. Alike.
  __device__ __forceinline__ T* row_to(i32 batch) {
    const i32 number = batch * S::rows + lane() / S::fields - tile_.first_written;
    if (number < 0 || number >= tile_.count) return nullptr;
    if (number >= to_.end) to_ = place_to(lane() % S::fields, number);
    else to_.row += S::rows * task_.width;
    return to_.row;
  }
  /// The memory of a row that is read.
  __device__ StreamPlace<T> place_from(i32 field, i32 number) const {
    const Lines<T>& from = task_.from[field];
    const i64 read = row_read(task_, tile_, number), row = from.nearest(read);
    return place_in(from, row, number, from.has(read) ? from.rows_of(from.piece_of(row)).end - row : 1);
  }
  __device__ StreamPlace<T> place_to(i32 field, i32 number) const {
    const i64 row = row_written<S>(tile_, number);
    const Lines<T>& to = task_.to[field];
    StreamPlace<T> place = place_in(to, row, number, to.rows_of(to.piece_of(row)).end - row);
    place.row += tile_.useful_begin;
    return place;
  }
  /// @param row of the grid, that takes the place of row `number` of the block @param rows that follow one another
  __device__ __forceinline__ StreamPlace<T> place_in(const Lines<T>& lines, i64 row, i32 number, i64 rows) const {
    const i64 end = number + rows;
    return {lines.row(row, task_.width) + tile_.first_column, static_cast<i32>(end < 1 << 30 ? end : 1 << 30)};
  }

  const Task& task_;
  Chunk* shared_;
  i32 warp_;                      // of the caller
  StreamTile tile_{};             // of the warp that moves rows: in registers
  StreamPlace<T> from_{}, to_{};  // of this lane's row
};

}  // namespace terrace::stencil
