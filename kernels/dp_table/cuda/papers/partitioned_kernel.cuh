// Li's Algorithms 4 and 5: a tile is kept in memory block by block; blocks of a level are dealt to four streams, the
// cells of a block are made by anti-diagonal levels. A stream is a thread block here: all four are one launch.
#pragma once

#include "kernels/dp_table/cuda/state_kernel.cuh"

namespace terrace::dp_table {

inline constexpr u32 partition_streams = 4, partition_threads = 256;

/// The places of cells in reorganised memory. A cell's place is the sum of what its indices add.
struct Reorganised {
  void* cells;
  const i64* place;             // of each dimension, by the index in the tile
  i64 begin[most_dimensions];   // of each dimension in `place`
  i64 extent[most_dimensions];  // of the tile
  i32 word[most_dimensions], shift[most_dimensions], bits[most_dimensions];
  i32 dimensions;

  /// @param cell relative to the tile's first
  __device__ i64 at(const Words& cell) const {
    i64 sum = 0;
    for (i32 d = 0; d < dimensions; ++d) {
      const u64 index = cell.at(word[d]) >> shift[d] & ((u64{1} << bits[d]) - 1);
      sum += place[begin[d] + static_cast<i64>(index)];
    }
    return sum;
  }
};

__device__ inline Words difference(const Words& a, const Words& b) {
  return {{a.word[0] - b.word[0], a.word[1] - b.word[1]}};
}

/// Makes one cell. @param cell its indices @param index in the tile
template <class Rule>
__device__ void make_partitioned_cell(TableState* state, const TileWork& work, const Reorganised& memory,
                                      const Words& cell, i64 index) {
  using T = typename Rule::Value;
  using Wide = typename Rule::Wide;
  const TableLayout& layout = work.layout;
  T* cells = static_cast<T*>(memory.cells);
  typename Rule::State gathered = Rule::none();
  for (i32 i = 0; i < layout.step_count; ++i) {
    const DeviceStep& step = layout.steps[i];
    if (!cell.at_least(step.packed, layout.guards)) continue;
    const T* from = nullptr;
    if (step.source == 0 && index >= step.offset) {
      from = cells + memory.at(difference(difference(cell, step.packed), work.first));
    } else {
      from = Reach<T>{work}.at(index, step.offset, step.source);
    }
    if (from == nullptr) continue;
    Rule::take(gathered, *from, cost_of<Wide>(step.whole_cost, step.real_cost), step.number, layout);
  }
  const bool is_zero = work.has_zero != 0 && index == 0;
  cells[memory.at(difference(cell, work.first))] =
      static_cast<T>(is_zero ? Rule::origin(layout) : Rule::made(gathered, layout));
  if constexpr (Rule::has_choice) work.task.choice[index] = is_zero ? -1 : gathered.number;
  if constexpr (Rule::counts) {
    if (!is_zero && Rule::overflows(gathered)) atomicMin(&state->overflow, static_cast<u64>(index));
  }
}

/// Makes the cells of a block by levels. All threads of a thread block call it.
template <class Rule>
__device__ void make_partition(TableState* state, const TileWork& work, const Reorganised& memory,
                               const SubBlock& block) {
  const TableLayout& layout = work.layout;
  const Words low = block.low.plus(work.first);
  for (i32 level = 0; level < layout.place_level_count; ++level) {
    for (i32 at = layout.place_levels[level] + static_cast<i32>(threadIdx.x); at < layout.place_levels[level + 1];
         at += static_cast<i32>(blockDim.x)) {
      const Words cell = low.plus(layout.places[at].packed);
      const i64 index = block.offset + layout.places[at].offset;
      if (index > work.last_cell || !work.last.at_least(cell, layout.guards)) continue;
      make_partitioned_cell<Rule>(state, work, memory, cell, index);
    }
    __syncthreads();
  }
}

/// Makes a tile in reorganised memory. partition_streams thread blocks, or as many as are resident at a time.
template <class Rule>
__global__ void __launch_bounds__(partition_threads)
    make_partitions_kernel(const __grid_constant__ device::Port port, TableState* state, u64* counters,
                           const __grid_constant__ TileWork work, const __grid_constant__ Reorganised memory) {
  __shared__ i32 leaves;
  if (state->begun == 0) return;
  if (threadIdx.x == 0) leaves = 0;
  __syncthreads();
  const TableLayout& layout = work.layout;
  for (u64 level = 0; level < layout.block_level_count; ++level) {
    for (u64 at = layout.block_levels[level] + blockIdx.x; at < layout.block_levels[level + 1]; at += gridDim.x) {
      make_partition<Rule>(state, work, memory, layout.blocks[at]);
    }
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(&counters[level], u64{1});
      const bool made = device::wait_until<device::backoffs::blocks_of_level>(
          [&] { return device::load_acquire(&counters[level]) >= gridDim.x; },
          [&] { return device::load_system(port.abort) != 0; });
      if (!made) state->aborted = 1, leaves = 1;
    }
    __syncthreads();
    if (leaves != 0) return;
  }
}

/// Copies the cells to the tile, where they are row-major.
template <class Rule>
__global__ void __launch_bounds__(partition_threads)
    copy_partitions_kernel(const TableState* state, typename Rule::Value* cells, i64 count,
                           const __grid_constant__ Reorganised memory) {
  using T = typename Rule::Value;
  if (state->begun == 0 || state->aborted != 0) return;
  for (i64 index = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; index < count;
       index += static_cast<i64>(gridDim.x) * blockDim.x) {
    i64 rest = index, from = 0;
    for (i32 d = memory.dimensions - 1; d >= 0; --d) {
      from += memory.place[memory.begin[d] + rest % memory.extent[d]];
      rest /= memory.extent[d];
    }
    cells[index] = static_cast<const T*>(memory.cells)[from];
  }
}

}  // namespace terrace::dp_table
