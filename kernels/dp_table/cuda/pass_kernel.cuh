// One step that all cells of a tile take: chains of cells from one to the next.
#pragma once

#include "kernels/dp_table/cuda/state_kernel.cuh"

namespace terrace::dp_table {

inline constexpr u32 pass_threads = 256;
/// Cells of a chain whose values are in flight together.
inline constexpr i32 pass_cells_at_once = 8;

/// A dimension of a tile in which the step has a component.
struct ChainDimension {
  i64 extent, stride, component;
  i64 first;  // index of the tile's first cell, in the table
};

/// The step of a pass over a tile. A cell takes the value of the cell to which the step leads, as this one is after
/// it took the step itself.
struct ChainWork {
  void* cells;
  i64 count;           // of the tile's cells
  const void* before;  // where the rows end to which the step leads and that are before the tile's first one
  const void* source;  // where the rows begin to which it leads, from that one on; null: it leads to none
  ChainDimension dimensions[most_dimensions];
  i32 rank;
  i32 within;  // not 0: the step leads to cells of the tile, too
  i64 offset;  // cells back, in row-major rows
  i64 modulus;
  i32 has_zero;  // not 0: the tile's first cell is the cell of all zeros
};

/// Makes the cells of a tile as they are before the first step.
template <class Rule>
__global__ void __launch_bounds__(pass_threads)
    clear_cells_kernel(const TableState* state, const __grid_constant__ ChainWork work) {
  using T = typename Rule::Value;
  if (state->begun == 0) return;
  T* cells = static_cast<T*>(work.cells);
  for (i64 at = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; at < work.count;
       at += static_cast<i64>(gridDim.x) * blockDim.x) {
    cells[at] = work.has_zero != 0 && at == 0 ? static_cast<T>(Count<T>::origin(work.modulus)) : Rule::unreached();
  }
}

/// The cells of a tile that take the step one after another.
template <class T>
struct PassChain {
  i64 length;     // cells; 0: the cell is not the first one of a chain
  const T* from;  // the value that the first one takes; null: none

  __device__ PassChain(const ChainWork& work, i64 cell) : length(1), from(nullptr) {
    bool in_tile = work.within != 0, in_table = true;
    i64 after = work.count;
    for (i32 d = 0; d < work.rank; ++d) {
      const ChainDimension& at = work.dimensions[d];
      const i64 index = cell / at.stride % at.extent;
      in_tile = in_tile && index >= at.component;
      in_table = in_table && at.first + index >= at.component;
      const i64 left = (at.extent - 1 - index) / at.component;
      after = left < after ? left : after;
    }
    if (in_tile) length = 0;
    else if (work.within != 0) length = 1 + after;
    const i64 back = cell - work.offset;
    const void* rows = back < 0 ? work.before : work.source;
    if (in_table && rows != nullptr) from = static_cast<const T*>(rows) + back;
  }
};

/// The sum of a count and a value. @param over becomes true if it leaves i64
template <class T>
__device__ __forceinline__ T sum_of_counts(T count, T value, u64 modulus, bool& over) {
  u64 sum = static_cast<u64>(count) + static_cast<u64>(value);
  if (modulus == 0) over = over || (sum >> 63) != 0;
  else if (sum >= modulus) sum -= modulus;
  return static_cast<T>(sum);
}

/// The cells of a tile take the step: a thread makes one chain after another.
template <class Rule>
__global__ void __launch_bounds__(pass_threads)
    take_step_kernel(TableState* state, const __grid_constant__ ChainWork work) {
  using T = typename Rule::Value;
  if (state->begun == 0) return;
  T* cells = static_cast<T*>(work.cells);
  const u64 modulus = static_cast<u64>(work.modulus);
  for (i64 at = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; at < work.count;
       at += static_cast<i64>(gridDim.x) * blockDim.x) {
    const PassChain<T> chain(work, at);
    T before = chain.from == nullptr ? T{0} : *chain.from;
    bool over = false;
    for (i64 begin = 0; begin < chain.length && !over; begin += pass_cells_at_once) {
      const i64 left = chain.length - begin;
      T* here = cells + at + begin * work.offset;
      T values[pass_cells_at_once];
#pragma unroll
      for (i32 k = 0; k < pass_cells_at_once; ++k) values[k] = k < left ? here[k * work.offset] : T{0};
#pragma unroll
      for (i32 k = 0; k < pass_cells_at_once; ++k) {
        if (k >= left || over) continue;
        before = sum_of_counts(values[k], before, modulus, over);
        here[k * work.offset] = before;
        if (over) atomicMin(&state->overflow, static_cast<u64>(here + k * work.offset - cells));
      }
    }
  }
}

}  // namespace terrace::dp_table
