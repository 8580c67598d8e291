// The walk back from a cell of a tile.
#pragma once

#include "kernels/dp_table/cuda/state_kernel.cuh"

namespace terrace::dp_table {

inline constexpr u32 walk_threads = 256;

/// The indices of a cell of a tile, packed. @param index in the tile
struct WalkFields {
  i64 extent[most_dimensions];
  i32 word[most_dimensions], shift[most_dimensions];
  i32 dimensions;

  __device__ Words pack(i64 index) const {
    Words packed{{0, 0}};
    for (i32 d = dimensions - 1; d >= 0; --d) {
      packed.add(word[d], static_cast<u64>(index % extent[d]) << shift[d]);
      index /= extent[d];
    }
    return packed;
  }
};

/// Tells by which steps a cell got its value.
template <class Rule>
struct WalkBack {
  using T = typename Rule::Value;
  using Wide = typename Rule::Wide;
  const TileWork& work;

  /// True if the value is that of the cell `from` and the step's cost.
  __device__ bool matches(const T* from, Wide value, i64 whole_cost, double real_cost) const {
    if (from == nullptr || static_cast<T>(*from) == Rule::unreached()) return false;
    typename Rule::State state = Rule::none();
    Rule::take(state, *from, cost_of<Wide>(whole_cost, real_cost), 0, work.layout);
    return Rule::made(state, work.layout) == value;
  }
  /// True if the cell got its value by the step. @param cell its indices @param index in the tile
  __device__ bool is_way(const DeviceStep& step, const Words& cell, i64 index, Wide value) const {
    return cell.at_least(step.packed, work.layout.guards) &&
           matches(Reach<T>{work}.at(index, step.offset, step.source), value, step.whole_cost, step.real_cost);
  }
};

/// One thread block: walks back, and reports the block.
template <class Rule>
__global__ void __launch_bounds__(walk_threads)
    walk_kernel(const __grid_constant__ device::Port port, const TableState* state,
                const __grid_constant__ TileWork work, const __grid_constant__ WalkFields fields, u64 block) {
  __shared__ u32 best;  // the least number of a step by which the cell got its value
  __shared__ i64 next;  // the cell where it leads, before 0 or elsewhere: it leaves the tile
  __shared__ i32 leaves;
  using T = typename Rule::Value;
  if (state->begun == 0) return;
  TableResult* result = device::result_of<TableResult>(port, block);
  const WalkBack<Rule> back{work};
  const i32 count = work.layout.step_count + work.layout.inner_count;
  i64 index = work.task.walk_from, walked = 0;
  u64 outcome = walk_leaves;
  while (walked < most_walked) {
    if (work.has_zero != 0 && index == 0) {
      outcome = walk_ends;
      break;
    }
    if (threadIdx.x == 0) best = ~0u;
    __syncthreads();
    const T value = static_cast<const T*>(work.task.cells)[index];
    const Words cell = fields.pack(index).plus(work.first);
    u32 mine = ~0u;
    i64 my_next = 0;
    i32 my_leaves = 0;
    for (i32 at = static_cast<i32>(threadIdx.x); value != Rule::unreached() && at < count; at += walk_threads) {
      const DeviceStep& step = work.layout.steps[at];
      if (static_cast<u32>(step.number) >= mine || !back.is_way(step, cell, index, value)) continue;
      mine = static_cast<u32>(step.number);
      my_next = index - step.offset;
      my_leaves = step.source != 0 || my_next < 0;
    }
    if (mine != ~0u) atomicMin(&best, mine);
    __syncthreads();
    if (best == ~0u) {
      outcome = walk_unreachable;
      break;
    }
    if (best == mine) next = my_next, leaves = my_leaves;
    if (threadIdx.x == 0) result->step[walked] = static_cast<i32>(best);
    __syncthreads();
    ++walked;
    if (leaves != 0) break;
    index = next;
  }
  if (threadIdx.x != 0) return;
  result->last = 0;
  result->last_real = 0;
  result->best = 0;
  result->best_real = 0;
  result->best_cell = -1;
  result->overflow = -1;
  result->walked = walked;
  result->state = static_cast<i64>(outcome);
  device::report_next(port, block);
}

}  // namespace terrace::dp_table
