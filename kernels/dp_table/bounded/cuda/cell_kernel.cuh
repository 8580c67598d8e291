// The elements before the first pass, copies of elements, cells of the table, and the way back, on CUDA.
#pragma once

#include "kernels/dp_table/bounded/cuda/rules.cuh"
#include "kernels/dp_table/bounded/walk.hpp"
#include "kernels/dp_table/cuda/state_kernel.cuh"

namespace terrace::dp_table {

/// Makes elements as they are before the first pass. @param has_zero not 0: the first one has the cell of all zeros
template <class Rule>
__global__ void begin_elements_kernel(const TableState* state, typename PassRule<Rule>::Value* elements, i64 count,
                                      i64 has_zero, i64 modulus) {
  using V = typename PassRule<Rule>::Value;
  if (state->begun == 0) return;
  for (i64 at = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += static_cast<i64>(gridDim.x) * blockDim.x) {
    elements[at] = static_cast<V>(has_zero != 0 && at == 0 ? Rule::origin(modulus) : Rule::unreached());
  }
}

template <class Rule>
__global__ void copy_elements_kernel(const TableState* state, typename PassRule<Rule>::Value* to,
                                     const typename PassRule<Rule>::Value* from, i64 count) {
  if (state->begun == 0) return;
  for (i64 at = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += static_cast<i64>(gridDim.x) * blockDim.x) {
    to[at] = from[at];
  }
}

/// The cells of a tile of the table that is kept.
struct CellsWork {
  const void* elements;
  void* cells;
  i64 first_element;
  i64 first_cell, count;
  i64 line, words;  // BoundedTable::line and words
  i64 bytes;        // of a cell of the table
  i64 unreached;    // its value where no step leads, of whole numbers
};

/// Stores the low bytes of a whole number.
__device__ inline void store_cell(void* cells, i64 at, i64 value, i64 bytes) {
  if (bytes == 1) static_cast<u8*>(cells)[at] = static_cast<u8>(value);
  else if (bytes == 2) static_cast<u16*>(cells)[at] = static_cast<u16>(value);
  else if (bytes == 4) static_cast<u32*>(cells)[at] = static_cast<u32>(value);
  else static_cast<i64*>(cells)[at] = value;
}

template <class Rule>
__global__ void make_cells_kernel(const TableState* state, const __grid_constant__ CellsWork work) {
  using V = typename PassRule<Rule>::Value;
  if (state->begun == 0) return;
  const V* elements = static_cast<const V*>(work.elements) - work.first_element;
  for (i64 at = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; at < work.count;
       at += static_cast<i64>(gridDim.x) * blockDim.x) {
    const i64 cell = work.first_cell + at;
    if constexpr (PassRule<Rule>::is_words) {
      const i64 in_line = cell % work.line;
      const u64 word = elements[cell / work.line * work.words + in_line / 64];
      static_cast<u8*>(work.cells)[at] = static_cast<u8>(word >> (in_line % 64) & 1);
    } else if constexpr (is_real<V>) {
      static_cast<V*>(work.cells)[at] = elements[cell];
    } else {
      const V value = elements[cell];
      store_cell(work.cells, at, value == Rule::unreached() ? work.unreached : static_cast<i64>(value), work.bytes);
    }
  }
}

/// One thread: goes back through passes, and reports the block.
template <class Rule>
__global__ void walk_passes_kernel(const __grid_constant__ device::Port port, const TableState* state,
                                   const BoundedPass* passes, i64 packed, const __grid_constant__ BoundedTask task,
                                   u64 block) {
  if (state->begun == 0) return;
  BoundedResult* result = device::result_of<BoundedResult>(port, block);
  for (u64& word : result->walked) word = 0;
  result->best_cell = result->overflow_pass = result->overflow = -1;
  result->last = result->best = 0;
  result->last_real = result->best_real = 0;
  walk_passes(passes, packed, task, *result);
  device::report_next(port, block);
}

/// One thread: reports a block that made elements or cells.
/// @param last the block's last element, of whose bits `bit` is the last cell
template <class Rule>
__global__ void report_bounded_kernel(const __grid_constant__ device::Port port, const TableState* state, u64 block,
                                      const typename PassRule<Rule>::Value* elements,
                                      const __grid_constant__ BoundedTask task, i64 bit) {
  if (state->begun == 0) return;
  BoundedResult* result = device::result_of<BoundedResult>(port, block);
  for (u64& word : result->walked) word = 0;
  result->last = result->best = 0;
  result->last_real = result->best_real = 0;
  result->best_cell = result->overflow_pass = result->overflow = -1;
  if (state->overflow != ~u64{0}) {
    result->overflow_pass = task.first_pass + static_cast<i64>(state->overflow >> overflow_bits);
    result->overflow = task.first + static_cast<i64>(state->overflow & ((u64{1} << overflow_bits) - 1));
  }
  if (task.is_last != 0) {
    const auto last = elements[task.end - task.first - 1];
    if constexpr (PassRule<Rule>::is_words) result->last = static_cast<i64>(last >> bit & 1);
    else set_value(last, result->last, result->last_real);
    const i64 best = static_cast<i64>(state->first_largest);
    if constexpr (Rule::finds_largest) {
      if (best >= 0) {
        result->best_cell = task.first + best;
        set_value(elements[best], result->best, result->best_real);
      }
    }
  }
  device::report_next(port, block);
}

}  // namespace terrace::dp_table
