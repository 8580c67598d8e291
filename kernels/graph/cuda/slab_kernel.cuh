// A slab of a graph on CUDA, apart from its nodes: it is begun, inputs come in, kept nodes go out, and it is
// reported.
#pragma once

#include "kernels/graph/cuda/work.hpp"
#include "kernels/graph/stored.hpp"
#include "kernels/launch/overlap.cuh"
#include "kernels/launch/port.cuh"

namespace terrace::graph {

/// One warp: begins block `block` unless the launch is to stop or has stopped before it.
/// T sets the kernels of different sources apart.
template <class T>
__global__ void begin_slab_kernel(device::Port port, GraphState* state, u64 block) {
  if (threadIdx.x == 0) state->usable = state->begun = device::begin_next(port, block, state->begun) ? 1 : 0;
  for (u32 n = threadIdx.x; n < most_checked; n += blockDim.x) state->nan[n] = ~u64{0};
}

/// One thread: reports block `block`, the launch's first one that is not reported.
template <class T>
__global__ void report_slab_kernel(device::Port port, const GraphState* state, u64 block, Reduced reduced) {
  if (state->begun == 0) return;
  GraphResult found{};
  for (i32 n = 0; n < most_checked && found.has_nan == 0; ++n) {
    const u64 element = state->nan[n];
    if (element == ~u64{0}) continue;
    found.has_nan = 1;
    found.input = n;
    found.row = static_cast<i64>(element >> column_bits);
    found.column = static_cast<i64>(element & ((u64{1} << column_bits) - 1));
  }
  for (i32 n = 0; n < most_numbers; ++n) {
    if (found.has_nan == 0 && reduced.numbers[n] != nullptr) found.numbers[n] = *reduced.numbers[n];
  }
  *device::result_of<GraphResult>(port, block) = found;
  device::report_next(port, block);
}

/// Constants of nodes that a launch brings.
inline constexpr u32 number_threads = 128, most_brought = 256;
template <class T>
struct Brought {
  T values[most_brought];
};

/// One thread block: writes constants of nodes into the workspace.
template <class T>
__global__ void __launch_bounds__(number_threads)
    bring_numbers_kernel(const __grid_constant__ Brought<T> numbers, T* to, u32 count) {
  for (u32 n = threadIdx.x; n < count; n += blockDim.x) to[n] = numbers.values[n];
}

/// Elements of a thread: some of a row, a warp apart. Not measured.
inline constexpr u32 copy_threads = 256, copy_elements = 8, copy_columns = 32 * copy_elements,
                     copy_rows = copy_threads / 32;

/// Calls read(n, row, column) for the elements of a thread, then write(n, row, column).
template <class ReadElement, class Write>
__device__ __forceinline__ void over_elements(const Work& work, const ReadElement& read, const Write& write) {
  const u32 across = (static_cast<u32>(work.columns) + copy_columns - 1) / copy_columns;
  const i64 row = work.rows.begin + blockIdx.x / across * copy_rows + threadIdx.x / 32;
  const i64 first = blockIdx.x % across * copy_columns + threadIdx.x % 32;
  if (row >= work.rows.end) return;
#pragma unroll
  for (u32 n = 0; n < copy_elements; ++n) {
    if (first + n * 32 < work.columns) read(n, row, first + n * 32);
  }
#pragma unroll
  for (u32 n = 0; n < copy_elements; ++n) {
    if (first + n * 32 < work.columns) write(n, row, first + n * 32);
  }
}

/// Records an element that is NaN, of an input that must have none.
template <class T>
__device__ __forceinline__ void look_at(const Work& work, T value, i64 row, i64 column) {
  if (value == value || work.input < 0) return;
  work.state->usable = 0;
  atomicMin(&work.state->nan[work.input], number_of_element(row, column));
}

/// Looks for NaN in rows of an input that is computed as it is stored.
template <class T>
__global__ void __launch_bounds__(copy_threads) check_kernel(const __grid_constant__ Work work) {
  device::wait_for_earlier_kernels();
  if (work.state->begun == 0) return;
  T values[copy_elements];
  over_elements(
      work, [&](u32 n, i64 row, i64 column) { values[n] = work.operands[0].row<const T>(row)[column]; },
      [&](u32 n, i64 row, i64 column) { look_at(work, values[n], row, column); });
}

/// Makes rows of an input as they are computed from those that are stored.
template <class T, class Stored>
__global__ void __launch_bounds__(copy_threads) load_kernel(const __grid_constant__ Work work) {
  device::wait_for_earlier_kernels();
  if (work.state->begun == 0) return;
  Stored values[copy_elements];
  over_elements(
      work, [&](u32 n, i64 row, i64 column) { values[n] = work.operands[0].row<const Stored>(row)[column]; },
      [&](u32 n, i64 row, i64 column) {
        const T value = loaded<T>(values[n]);
        if constexpr (!is_whole<Stored>) look_at(work, value, row, column);
        work.made.row<T>(row)[column] = value;
      });
}

/// Stores rows of a kept node.
template <class T, class Stored>
__global__ void __launch_bounds__(copy_threads) keep_kernel(const __grid_constant__ Work work) {
  device::wait_for_earlier_kernels();
  if (work.state->usable == 0) return;
  T values[copy_elements];
  over_elements(
      work, [&](u32 n, i64 row, i64 column) { values[n] = work.operands[0].row<const T>(row)[column]; },
      [&](u32 n, i64 row, i64 column) { work.made.row<Stored>(row)[column] = stored<Stored>(values[n]); });
}

}  // namespace terrace::graph
