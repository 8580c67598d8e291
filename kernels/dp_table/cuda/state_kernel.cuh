// The steps around the blocks of tables on CUDA: the check that a block is begun, the parts that all its kernels
// share, and the report.
#pragma once

#include "kernels/dp_table/cuda/rules.cuh"
#include "kernels/launch/port.cuh"

namespace terrace::dp_table {

/// State that the kernels of one block share, in device memory.
struct TableState {
  u64 begun;     // 0: the launch was stopped, and the block's kernels do nothing
  u64 aborted;   // not 0: some threads have left
  u64 ticket;    // the next sub-block
  u64 overflow;  // the first cell whose count leaves the type; none: all bits set
  u64 largest,
      first_largest;  // the key of the largest cell (key_of()), and the first one that has it; none: as above
};

/// Threads of the kernel that begins a block.
inline constexpr u32 begin_threads = 256;

/// One thread block: begins block `block` unless the launch is to stop or has stopped before it.
/// Rule sets the kernels of different sources apart.
/// @param counters of sub-blocks that are made, by level: set to 0
template <class Rule>
__global__ void begin_block_kernel(device::Port port, TableState* state, u64* counters, u64 levels, u64 block) {
  if (threadIdx.x == 0) {
    const bool begun = device::begin_next(port, block, state->begun);
    *state = {begun ? u64{1} : u64{0}, 0, 0, ~u64{0}, 0, ~u64{0}};
  }
  for (u64 level = threadIdx.x; level < levels; level += blockDim.x) counters[level] = 0;
}

/// Sets the form of a value in a result that is of its type, and the other one to 0.
template <class T>
__device__ inline void set_value(T value, i64& whole, double& real) {
  whole = 0;
  real = 0;
  if constexpr (is_real<T>) real = static_cast<double>(value);
  else whole = static_cast<i64>(value);
}

/// One thread: reports block `block`, a tile, the launch's first one that is not reported.
/// @param cells of the tile @param count of them
template <class Rule>
__global__ void report_block_kernel(device::Port port, const TableState* state, u64 block,
                                    const typename Rule::Value* cells, i64 count) {
  if (state->begun == 0 || state->aborted != 0) return;
  TableResult* result = device::result_of<TableResult>(port, block);
  set_value(cells[count - 1], result->last, result->last_real);
  result->best_cell = static_cast<i64>(state->first_largest);
  if (result->best_cell >= 0) set_value(cells[result->best_cell], result->best, result->best_real);
  else result->best = 0, result->best_real = 0;
  result->overflow = static_cast<i64>(state->overflow);
  result->walked = 0;
  result->state = walk_leaves;
  device::report_next(port, block);
}

/// The value where a step leads from a cell of the tile.
template <class T>
struct Reach {
  const TileWork& work;

  /// @param cell by its index in the tile @return null if it leads to no tile of the block
  __device__ __forceinline__ const T* at(i64 cell, i64 offset, i32 source) const {
    const i64 from = cell - offset;
    if (source == 0 && from >= 0) return static_cast<const T*>(work.task.cells) + from;
    const T* data = static_cast<const T*>(from >= 0 ? work.task.source[source] : work.task.before[source]);
    return data == nullptr ? nullptr : data + from;
  }
};

}  // namespace terrace::dp_table
