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

/// The place of the first step by which a cell got its value. @param numbered counts steps alike
template <class Rule>
struct WalkBack {
  using T = typename Rule::Value;
  using Wide = typename Rule::Wide;
  const TileWork& work;
  const InnerStep* inner;
  i32 inner_count;

  /// True if the value is that of the cell `from` and the step's cost.
  __device__ bool matches(const T* from, Wide value, i64 whole_cost, double real_cost) const {
    if (from == nullptr || static_cast<T>(*from) == Rule::unreached()) return false;
    typename Rule::State state = Rule::none();
    Rule::take(state, *from, cost_of<Wide>(whole_cost, real_cost), 0, work.layout);
    return Rule::made(state, work.layout) == value;
  }
  /// Steps [0, step_count) lead out of lines, those after them along lines.
  __device__ bool is_way(i32 at, const Words& cell, i64 index, Wide value, i32& number, i64& offset,
                         i32& source) const {
    const TableLayout& layout = work.layout;
    if (at < layout.step_count) {
      const DeviceStep& step = layout.steps[at];
      number = step.number, offset = step.offset, source = step.source;
      return cell.at_least(step.packed, layout.guards) &&
             matches(Reach<T>{work}.at(index, offset, source), value, step.whole_cost, step.real_cost);
    }
    const InnerStep& step = inner[at - layout.step_count];
    const u64 from_zero = cell.at(layout.along_word) >> layout.along_shift & layout.along_mask;
    number = step.number, offset = step.along, source = 0;
    return static_cast<u64>(step.along) <= from_zero &&
           matches(Reach<T>{work}.at(index, offset, 0), value, step.whole_cost, step.real_cost);
  }
};

/// One thread block: walks back, and reports the block.
template <class Rule>
__global__ void __launch_bounds__(walk_threads)
    walk_kernel(const __grid_constant__ device::Port port, const TableState* state,
                const __grid_constant__ TileWork work, const __grid_constant__ WalkFields fields, i32 inner_count,
                u64 block) {
  __shared__ u32 best;  // the least number of a step by which the cell got its value
  __shared__ i64 next;  // the cell where it leads, before 0 or elsewhere: it leaves the tile
  __shared__ i32 leaves;
  using T = typename Rule::Value;
  if (state->begun == 0) return;
  TableResult* result = device::result_of<TableResult>(port, block);
  const WalkBack<Rule> back{work, work.layout.inner, inner_count};
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
    i32 number = 0, source = 0;
    i64 offset = 0;
    u32 mine = ~0u;
    i64 my_next = 0;
    i32 my_leaves = 0;
    for (i32 at = static_cast<i32>(threadIdx.x);
         value != Rule::unreached() && at < work.layout.step_count + inner_count; at += walk_threads) {
      if (!back.is_way(at, cell, index, value, number, offset, source) || static_cast<u32>(number) >= mine) continue;
      mine = static_cast<u32>(number);
      my_next = index - offset;
      my_leaves = source != 0 || my_next < 0;
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
  result->overflow = -1;
  result->walked = walked;
  result->state = static_cast<i64>(outcome);
  device::report_next(port, block);
}

}  // namespace terrace::dp_table
