// The cells of a tile: slabs by levels, of which thread blocks draw one after another.
//
// A slab is a run of adjacent cells (layout.hpp). The level of a slab is a sum of coordinates, so that all steps out
// of it lead to lower levels. A thread block first gathers, for each cell, the values where steps lead out of the
// slab: a step is the same distance back for all cells, so that warps read adjacent values. It then makes the cells
// by their levels within the slab, in shared memory.
#pragma once

#include "kernels/dp_table/cuda/state_kernel.cuh"
#include "kernels/dp_table/measured.hpp"

namespace terrace::dp_table {

inline constexpr i32 tile_threads = measured::CudaTiles::threads, tile_warps = tile_threads / 32;
/// Cells of a thread, and steps, whose values are in flight together.
inline constexpr i32 cells_at_once = 4, steps_at_once = 4;
inline constexpr u32 some_steps = (1u << steps_at_once) - 1;

/// A cell's state after its outer steps, in shared memory.
template <class Rule>
inline constexpr bool keeps_state = Rule::has_choice || Rule::counts;
template <class Rule, bool state = keeps_state<Rule>>
struct Kept {
  using Type = typename Rule::State;
};
template <class Rule>
struct Kept<Rule, false> {
  using Type = typename Rule::Wide;
};
template <class Rule>
using KeptOf = typename Kept<Rule>::Type;

/// Steps in shared memory: where each leads, and what its rule asks for.
template <class Rule, class Distance>
struct SharedSteps {
  using Wide = typename Rule::Wide;

  Distance* distance;
  Wide* costs;   // if the rule has any
  i32* numbers;  // if it has a choice

  __device__ __forceinline__ void put(i32 place, const DeviceStep& step, Distance to) const {
    distance[place] = to;
    if constexpr (Rule::has_costs) costs[place] = cost_of<Wide>(step.whole_cost, step.real_cost);
    if constexpr (Rule::has_choice) numbers[place] = step.number;
  }
  /// Takes the value where a step leads.
  __device__ __forceinline__ void take(i32 place, Wide value, typename Rule::State& state,
                                       const TableLayout& layout) const {
    Wide cost = 0;
    i32 number = 0;
    if constexpr (Rule::has_costs) cost = costs[place];
    if constexpr (Rule::has_choice) number = numbers[place];
    Rule::take(state, value, cost, number, layout);
  }
};

/// The arrays of a thread block in shared memory.
template <class Rule>
struct TileMemory {
  using T = typename Rule::Value;

  KeptOf<Rule>* kept;            // of the slab's cells
  SharedSteps<Rule, i64> outer;  // that are prepared: bytes from a cell to where the step leads
  i32* group_begin;              // of each group's prepared steps
  i32* group_end;
  SharedSteps<Rule, i32> inner;  // cells back; in whole groups of steps_at_once
  T* made;                       // values of the slab's cells
  u64 bytes;                     // of all

  TERRACE_HOST_DEVICE TileMemory(unsigned char* memory, const TableLayout& layout) : bytes(0) {
    const auto add = [&]<class U>(U*& array, i64 count) {
      array = reinterpret_cast<U*>(memory + bytes);
      bytes += (static_cast<u64>(count) * sizeof(U) + 15) / 16 * 16;
    };
    const auto add_steps = [&](auto& steps, i64 count) {
      add(steps.distance, count);
      add(steps.costs, Rule::has_costs ? count : 0);
      add(steps.numbers, Rule::has_choice ? count : 0);
    };
    add(kept, layout.slab_cells);
    add_steps(outer, layout.staged_count);
    add(group_begin, layout.group_count);
    add(group_end, layout.group_count);
    add_steps(inner, (layout.inner_count + steps_at_once - 1) / steps_at_once * steps_at_once);
    add(made, layout.slab_cells);
  }
};

/// The slab that a thread block makes.
struct TileTicket {
  u64 number;
  i32 warp_steps[tile_warps];  // steps that the threads of each warp prepare
  i32 ends;
  i32 leaves[2];  // of the waits for one and for two levels back: each has a word, written once a slab
};

template <class Rule>
class TileMaker {
 public:
  using T = typename Rule::Value;
  using Wide = typename Rule::Wide;
  using State = typename Rule::State;

  __device__ TileMaker(const device::Port& port, TableState* state, u64* counters, const TileWork& work,
                       TileTicket& ticket)
      : port_(port),
        state_(state),
        counters_(counters),
        work_(work),
        layout_(work.layout),
        ticket_(ticket),
        memory_(device::launch_shared_memory(), layout_),
        thread_(static_cast<i32>(threadIdx.x)) {}

  __device__ void make() {
    copy_inner_steps();
    u64 level = 0;
    while (draw()) {
      while (ticket_.number >= layout_.block_levels[level + 1]) ++level;
      block_ = layout_.blocks[ticket_.number];
      low_ = block_.low.plus(work_.first);
      const i64 left = work_.last_cell + 1 - block_.offset;
      count_ = static_cast<i32>(left < block_.cells ? left : block_.cells);
      if (count_ > 0) stage();
      // While the level before is made, most values are there already.
      if (layout_.early_group_count > 0) {
        if (!wait_for_levels(level, 2)) return;
        if (count_ > 0) gather<true>();
      }
      if (!wait_for_levels(level, 1)) return;
      if (count_ > 0) {
        gather<false>();
        __syncthreads();
        make_cells();
        __syncthreads();
        store();
      }
      __syncthreads();
      if (thread_ == 0) {
        __threadfence();
        atomicAdd(&counters_[level], u64{1});
      }
    }
  }

 private:
  __device__ void copy_inner_steps() const {
    const i32 count = layout_.inner_count;
    for (i32 i = thread_; i < (count + steps_at_once - 1) / steps_at_once * steps_at_once; i += tile_threads) {
      const DeviceStep& step = layout_.steps[layout_.step_count + (i < count ? i : 0)];
      memory_.inner.put(i, step, i < count ? static_cast<i32>(step.offset) : 0);
    }
  }

  /// Draws the next slab. @return false if there is none, or the launch is over
  __device__ bool draw() {
    if (thread_ == 0) {
      ticket_.number = atomicAdd(&state_->ticket, u64{1});
      ticket_.leaves[0] = ticket_.leaves[1] = 0;
      ticket_.ends = ticket_.number % 64 == 63 && is_aborted();
    }
    for (i32 group = thread_; group < layout_.group_count; group += tile_threads) {
      memory_.group_begin[group] = layout_.staged_count;
      memory_.group_end[group] = 0;
    }
    __syncthreads();
    return ticket_.ends == 0 && ticket_.number < layout_.block_count;
  }

  /// One thread. After an abort the block is not reported.
  __device__ bool is_aborted() {
    if (device::load_system(port_.abort) == 0) return false;
    state_->aborted = 1;
    return true;
  }

  /// Waits until the slabs of the levels are made that are at least `back` before `level`; once a slab for each
  /// `back` in [1, 2]. Only draw() asks the host about an abort, over the bus: all slabs of lower levels were drawn
  /// and end by themselves, unless those who drew them have left.
  __device__ bool wait_for_levels(u64 level, u64 back) {
    i32& leaves = ticket_.leaves[back - 1];
    if (thread_ == 0 && level >= back) {
      const u64 last = level - back, wanted = layout_.block_levels[last + 1] - layout_.block_levels[last];
      const u64* made = &counters_[last];
      leaves = !device::wait_until<device::backoffs::blocks_of_level>(
          [&] { return device::load_acquire(made) >= wanted; },
          [&] { return device::load_relaxed(&state_->aborted) != 0; });
    }
    __syncthreads();
    return leaves == 0;
  }

  // Outer steps.

  /// Prepares those that the slab needs, in their order.
  __device__ void stage() {
    const Words high = high_cell();
    const i64 row = row_of(low_);
    const i32 lane = thread_ % 32, warp = thread_ / 32;
    i32 prepared = 0;
    for (i32 first = 0; first < layout_.staged_count; first += tile_threads) {
      const i32 i = first + thread_;
      i64 delta = 0;
      const bool needed = i < layout_.staged_count && is_needed(layout_.steps[i], high, row, delta);
      const u32 votes = __ballot_sync(~0u, needed);
      if (lane == 0) ticket_.warp_steps[warp] = __popc(votes);
      __syncthreads();
      i32 place = prepared + __popc(votes & ((1u << lane) - 1));
      for (i32 w = 0; w < tile_warps; ++w) {
        const i32 steps = ticket_.warp_steps[w];
        place += w < warp ? steps : 0;
        prepared += steps;
      }
      if (needed) put_step(place, layout_.steps[i], delta);
      __syncthreads();
    }
  }
  /// True if the step fits a cell of the slab. @param delta becomes the bytes from the cell to where it leads
  __device__ bool is_needed(const DeviceStep& step, const Words& high, i64 row, i64& delta) const {
    if (!low_.at_least(step.outer, layout_.guards) || !high.at_least(step.packed, layout_.guards)) return false;
    // A longer step leads out of the slab from the same cells.
    if (layout_.dominated != 0 && (((low_.word[0] - step.outer.word[0]) & step.cover.word[0]) != 0 ||
                                   ((low_.word[1] - step.outer.word[1]) & step.cover.word[1]) != 0)) {
      return false;
    }
    delta = -step.offset * static_cast<i64>(sizeof(T));
    // With rows before the tile, a slab of several dimensions is of one row (choose_cut).
    const bool before = work_.task.first_row > 0 && row - step.rows < work_.task.first_row;
    if (step.source == 0 && !before) return true;
    const void* data = before ? work_.task.before[step.source] : work_.task.source[step.source];
    delta += static_cast<const char*>(data) - static_cast<const char*>(work_.task.cells);
    return data != nullptr;
  }
  __device__ void put_step(i32 place, const DeviceStep& step, i64 delta) const {
    memory_.outer.put(place, step, delta);
    atomicMin(&memory_.group_begin[step.group], place);
    atomicMax(&memory_.group_end[step.group], place + 1);
  }
  __device__ i64 row_of(const Words& cell) const {
    return static_cast<i64>(cell.at(layout_.row_word) >> layout_.row_shift & layout_.row_mask);
  }
  /// The slab's last cell within the tile.
  __device__ Words high_cell() const {
    Words high = block_.high.plus(work_.first);
    const u64 rows = high.at(layout_.row_word) >> layout_.row_shift & (2 * layout_.row_mask + 1);
    const u64 last = static_cast<u64>(row_of(work_.last));
    if (rows > last) high.add(layout_.row_word, ~((rows - last) << layout_.row_shift) + 1);
    return high;
  }

  /// Combines the values where outer steps lead, for all cells. @tparam early true: those of the early groups; false:
  /// those of the others, after that
  template <bool early>
  __device__ void gather() const {
    const i32 first_group = early ? 0 : layout_.early_group_count;
    const i32 end_group = early ? layout_.early_group_count : layout_.group_count;
    for (i32 first = thread_; first < count_; first += cells_at_once * tile_threads) {
      Words cell[cells_at_once];
      State state[cells_at_once];
#pragma unroll
      for (i32 k = 0; k < cells_at_once; ++k) {
        const i32 at = first + k * tile_threads;
        cell[k] = at < count_ ? low_.plus(layout_.cells[at]) : low_;
        state[k] = !early && first_group > 0 && at < count_ ? kept(at) : Rule::none();
      }
      const char* here =
          static_cast<const char*>(work_.task.cells) + (block_.offset + first) * static_cast<i64>(sizeof(T));
      for (i32 group = first_group; group < end_group; ++group) {
        const i32 begin = memory_.group_begin[group], end = memory_.group_end[group];
        if (begin < end) take_group(layout_.groups[group], begin, end, first, here, cell, state);
      }
      for (i32 i = early ? layout_.step_count : layout_.staged_count; i < layout_.step_count; ++i)
        take_unprepared(layout_.steps[i], first, cell, state);
#pragma unroll
      for (i32 k = 0; k < cells_at_once; ++k) {
        const i32 at = first + k * tile_threads;
        if (at < count_) keep(at, state[k]);
      }
    }
  }
  __device__ __forceinline__ void take_group(const StepGroup& group, i32 begin, i32 end, i32 first, const char* here,
                                             const Words (&cell)[cells_at_once],
                                             State (&state)[cells_at_once]) const {
    bool fits[cells_at_once];
#pragma unroll
    for (i32 k = 0; k < cells_at_once; ++k) {
      const i32 at = first + k * tile_threads;
      fits[k] = at < count_ && cell[k].at_least(group.inside, layout_.guards);
      if (group.crosses != 0) fits[k] = fits[k] && !layout_.cells[at].at_least(group.inside, layout_.guards);
    }
    i32 i = begin;
    for (; i + steps_at_once <= end; i += steps_at_once) take_steps<steps_at_once>(i, here, fits, state);
    for (; i < end; ++i) take_steps<1>(i, here, fits, state);
  }
  template <i32 steps>
  __device__ __forceinline__ void take_steps(i32 begin, const char* here, const bool (&fits)[cells_at_once],
                                             State (&state)[cells_at_once]) const {
    Wide values[steps][cells_at_once];
#pragma unroll
    for (i32 i = 0; i < steps; ++i) {
      const T* from = reinterpret_cast<const T*>(here + memory_.outer.distance[begin + i]);
      // An unreached value changes nothing.
#pragma unroll
      for (i32 k = 0; k < cells_at_once; ++k) {
        values[i][k] = fits[k] ? static_cast<Wide>(from[k * tile_threads]) : static_cast<Wide>(Rule::unreached());
      }
    }
#pragma unroll
    for (i32 i = 0; i < steps; ++i) {
#pragma unroll
      for (i32 k = 0; k < cells_at_once; ++k) memory_.outer.take(begin + i, values[i][k], state[k], layout_);
    }
  }
  __device__ void take_unprepared(const DeviceStep& step, i32 first, const Words (&cell)[cells_at_once],
                                  State (&state)[cells_at_once]) const {
    const StepGroup group = layout_.groups[step.group];
#pragma unroll
    for (i32 k = 0; k < cells_at_once; ++k) {
      const i32 at = first + k * tile_threads;
      if (at >= count_ || !cell[k].at_least(step.packed, layout_.guards)) continue;
      if (group.crosses != 0 && layout_.cells[at].at_least(group.inside, layout_.guards)) continue;
      const T* from = Reach<T>{work_}.at(block_.offset + at, step.offset, step.source);
      if (from == nullptr) continue;
      Rule::take(state[k], *from, cost_of<Wide>(step.whole_cost, step.real_cost), step.number, layout_);
    }
  }

  __device__ __forceinline__ void keep(i32 at, const State& state) const {
    if constexpr (keeps_state<Rule>) memory_.kept[at] = state;
    else memory_.kept[at] = state.value;
  }
  __device__ __forceinline__ State kept(i32 at) const {
    if constexpr (keeps_state<Rule>) return memory_.kept[at];
    else return {memory_.kept[at], 0};
  }

  // Inner steps.

  /// Makes the cells of one level of the slab after another; one warp does if no level has more cells than lanes.
  __device__ void make_cells() const {
    if (layout_.order.widest_level > 32) make_levels<tile_threads>();
    else if (thread_ < 32) make_levels<32>();
  }
  /// The lists of the next level are brought while one is made.
  template <i32 threads>
  __device__ __forceinline__ void make_levels() const {
    const i32 count = layout_.order.level_count;
    const i32* levels = layout_.order.levels;
    i32 begin = 0, end = levels[1], next_end = levels[count < 2 ? count : 2];
    OrderedCell mine = cell_at(thread_, end);
    for (i32 level = 0; level < count; ++level) {
      const OrderedCell next = cell_at(end + thread_, next_end);
      const i32 end_after_next = levels[level + 3 < count ? level + 3 : count];
      make_cell(mine, begin + thread_);
      for (i32 place = begin + thread_ + threads; place < end; place += threads)
        make_cell(cell_at(place, end), place);
      if constexpr (threads == 32) __syncwarp();
      else __syncthreads();
      mine = next, begin = end, end = next_end, next_end = end_after_next;
    }
  }
  struct OrderedCell {
    i32 at;    // in the slab; beyond its cells: none
    u32 mask;  // the first of its inner steps
  };
  /// @param place in the order of the cells @param end of the places of its level
  __device__ __forceinline__ OrderedCell cell_at(i32 place, i32 end) const {
    if (place >= end) return {count_, 0};
    return {layout_.order.cells[place],
            layout_.mask_words == 0 ? 0 : layout_.order.masks[place * layout_.mask_words]};
  }
  __device__ __forceinline__ void make_cell(const OrderedCell& cell, i32 place) const {
    const i32 at = cell.at;
    if (at >= count_) return;
    State state = kept(at);
    u32 mask = cell.mask;
    for (i32 word = 0; word < layout_.mask_words; ++word) {
      if (word > 0) mask = layout_.order.masks[place * layout_.mask_words + word];
      const i32 begin = 32 * word, left = layout_.inner_count - begin;
      for (i32 i = 0; i < 32 && i < left; i += steps_at_once) {
        if ((mask >> i & some_steps) != 0) take_inner(begin + i, mask >> i, at, state);
      }
    }
    memory_.made[at] = static_cast<T>(is_zero(at) ? Rule::origin(layout_) : Rule::made(state, layout_));
    if constexpr (keeps_state<Rule>) memory_.kept[at] = state;
  }
  /// @param mask bit k: the cell has inner step begin + k
  __device__ __forceinline__ void take_inner(i32 begin, u32 mask, i32 at, State& state) const {
    Wide values[steps_at_once];
#pragma unroll
    for (i32 k = 0; k < steps_at_once; ++k) {
      const bool fits = (mask >> k & 1u) != 0;
      values[k] = static_cast<Wide>(fits ? memory_.made[at - memory_.inner.distance[begin + k]] : Rule::unreached());
    }
#pragma unroll
    for (i32 k = 0; k < steps_at_once; ++k) memory_.inner.take(begin + k, values[k], state, layout_);
  }
  __device__ __forceinline__ bool is_zero(i32 at) const {
    return work_.has_zero != 0 && block_.offset == 0 && at == 0;
  }

  __device__ void store() const {
    T* cells = static_cast<T*>(work_.task.cells) + block_.offset;
    for (i32 at = thread_; at < count_; at += tile_threads) {
      cells[at] = memory_.made[at];
      if constexpr (Rule::has_choice) {
        work_.task.choice[block_.offset + at] = is_zero(at) ? -1 : memory_.kept[at].number;
      }
      if constexpr (Rule::counts) {
        if (!is_zero(at) && Rule::overflows(memory_.kept[at])) {
          atomicMin(&state_->overflow, static_cast<u64>(block_.offset + at));
        }
      }
    }
  }

  const device::Port& port_;
  TableState* state_;
  u64* counters_;
  const TileWork& work_;
  const TableLayout& layout_;
  TileTicket& ticket_;
  const TileMemory<Rule> memory_;
  const i32 thread_;
  SubBlock block_;
  Words low_;  // the slab's first cell
  i32 count_;  // cells of the slab that the tile has
};

/// Makes a tile. Any number of thread blocks.
template <class Rule>
__global__ void __launch_bounds__(tile_threads, measured::CudaTiles::resident)
    make_tile_kernel(const __grid_constant__ device::Port port, TableState* state, u64* counters,
                     const __grid_constant__ TileWork work) {
  __shared__ TileTicket ticket;
  if (state->begun == 0) return;
  TileMaker<Rule>(port, state, counters, work, ticket).make();
}

}  // namespace terrace::dp_table
