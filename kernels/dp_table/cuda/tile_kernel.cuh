// The cells of a tile: sub-blocks by levels, of which thread blocks draw one after another; in a sub-block lines by
// levels; in a line cells side by side.
//
// A level is a sum of coordinates: of sub-blocks in the tile, of lines in the sub-block (the last coordinate counts
// lines). Steps lead to lower levels, save those along the last dimension that are shorter than a line: these are
// added last, cell by cell, through the registers of a warp.
#pragma once

#include "kernels/dp_table/cuda/state_kernel.cuh"

namespace terrace::dp_table {

inline constexpr u32 tile_threads = 256;
inline constexpr i32 tile_warps = tile_threads / 32;
/// Thread blocks of a multiprocessor that registers suffice for. Others were not measured.
inline constexpr i32 tile_blocks = 4;
/// Look-ups of a cell that are in flight together.
inline constexpr i32 steps_at_once = 8, tests_at_once = 4;

struct alignas(16) DeltaPair {
  i64 first, second;
};

/// Steps that are prepared for a sub-block, in shared memory: from the front those that fit all of its cells, from
/// the back those that fit some.
template <class Rule>
struct StagedSteps {
  using Wide = typename Rule::Wide;

  i64* delta;  // bytes from a cell to where the step leads
  Words* packed;
  Wide* cost;
  i32* number;

  __device__ StagedSteps(unsigned char* memory, i32 capacity) {
    packed = reinterpret_cast<Words*>(memory);
    delta = reinterpret_cast<i64*>(packed + capacity);
    cost = reinterpret_cast<Wide*>(delta + capacity);
    number = reinterpret_cast<i32*>(cost + (Rule::has_costs ? capacity : 0));
  }
  TERRACE_HOST_DEVICE static constexpr u64 bytes(i32 capacity) {
    return static_cast<u64>(capacity) * (sizeof(Words) + sizeof(i64) + (Rule::has_costs ? sizeof(Wide) : 0) +
                                         (Rule::has_choice ? sizeof(i32) : 0));
  }
};

/// The sub-block that a thread block makes.
struct TileTicket {
  u64 number;
  i32 certain, tested;  // steps that are staged
  i32 ends, leaves;     // not 0: the launch is over, as seen with the ticket and in the wait for a level
};

/// The work of one thread block on a tile.
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
        steps_(device::launch_shared_memory(), layout_.capacity),
        partial_(reinterpret_cast<State*>(device::launch_shared_memory() +
                                          (StagedSteps<Rule>::bytes(layout_.capacity) + 15) / 16 * 16)) {
    const i32 lane = device::lane_index(), warp = static_cast<i32>(threadIdx.x / 32);
    line_of_lane_ = lane / layout_.line_cells;
    along_ = lane % layout_.line_cells;
    lines_of_warp_ = 32 / layout_.line_cells;
    way_ = warp % layout_.ways;
    group_ = warp / layout_.ways;
    groups_ = tile_warps / layout_.ways;
  }

  __device__ void make() {
    u64 level = 0;
    while (draw()) {
      while (ticket_.number >= layout_.block_levels[level + 1]) ++level;
      block_ = layout_.blocks[ticket_.number];
      low_ = block_.low.plus(work_.first);
      const bool inside = work_.last.at_least(low_, layout_.guards);
      if (inside) stage();
      if (!wait_for_level(level)) return;
      if (inside) make_lines();
      __syncthreads();
      if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&counters_[level], u64{1});
      }
    }
  }

 private:
  /// Draws the next sub-block. @return false if there is none, or the launch is over
  __device__ bool draw() {
    if (threadIdx.x == 0) {
      ticket_.number = atomicAdd(&state_->ticket, u64{1});
      ticket_.certain = ticket_.tested = 0;
      ticket_.leaves = 0;
      ticket_.ends = ticket_.number % 64 == 63 && is_aborted();
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

  /// Waits until the sub-blocks of the level before are made.
  __device__ bool wait_for_level(u64 level) {
    if (threadIdx.x == 0 && level > 0) {
      const u64 wanted = layout_.block_levels[level] - layout_.block_levels[level - 1];
      const u64* made = &counters_[level - 1];
      ticket_.leaves = !device::wait_until<device::backoffs::blocks_of_level>(
          [&] { return device::load_acquire(made) >= wanted; }, [&] { return is_aborted(); });
    }
    __syncthreads();
    return ticket_.leaves == 0;
  }

  /// Prepares the steps that fit a cell of the sub-block.
  __device__ void stage() {
    const Words high = high_cell();
    const i64 row = row_of(low_);
    for (i32 i = static_cast<i32>(threadIdx.x); i < layout_.staged_count; i += tile_threads) {
      const DeviceStep& step = layout_.steps[i];
      if (!high.at_least(step.packed, layout_.guards)) continue;
      i64 delta = -step.offset;
      // With rows before the tile, a sub-block has one row (choose_cut).
      const bool before = work_.task.first_row > 0 && row - step.rows < work_.task.first_row;
      if (step.source != 0 || before) {
        const char* data = static_cast<const char*>(work_.task.source[step.source]);
        if (data == nullptr) continue;
        delta += (work_.task.first_row - work_.task.source_row[step.source]) * layout_.row_cells;
        delta = delta * static_cast<i64>(sizeof(T)) + (data - static_cast<const char*>(work_.task.cells));
      } else {
        delta *= static_cast<i64>(sizeof(T));
      }
      const bool certain = low_.at_least(step.packed, layout_.guards);
      if (certain && layout_.dominated != 0 && is_dominated(step)) continue;
      const i32 place =
          certain ? atomicAdd(&ticket_.certain, 1) : layout_.capacity - 1 - atomicAdd(&ticket_.tested, 1);
      steps_.delta[place] = delta;
      steps_.packed[place] = step.packed;
      if constexpr (Rule::has_costs) steps_.cost[place] = cost_of<Wide>(step.whole_cost, step.real_cost);
      if constexpr (Rule::has_choice) steps_.number[place] = step.number;
    }
  }

  /// True if a step that is longer by one in one dimension fits all cells of the sub-block, as this one does.
  __device__ bool is_dominated(const DeviceStep& step) const {
    return ((low_.word[0] - step.packed.word[0]) & step.cover.word[0]) != 0 ||
           ((low_.word[1] - step.packed.word[1]) & step.cover.word[1]) != 0;
  }

  __device__ i64 row_of(const Words& cell) const {
    return static_cast<i64>(cell.at(layout_.row_word) >> layout_.row_shift & layout_.row_mask);
  }
  /// The sub-block's last cell within the tile.
  __device__ Words high_cell() const {
    Words high = block_.high.plus(work_.first);
    const u64 rows = high.at(layout_.row_word) >> layout_.row_shift & (2 * layout_.row_mask + 1);
    const u64 last = static_cast<u64>(row_of(work_.last));
    if (rows > last) high.add(layout_.row_word, ~((rows - last) << layout_.row_shift) + 1);
    return high;
  }

  __device__ void make_lines() {
    i32 parity = 0;
    for (i32 level = 0; level < layout_.line_level_count; ++level) {
      if (level > 0) __syncthreads();
      const i32 begin = layout_.line_levels[level], end = layout_.line_levels[level + 1];
      for (i32 first = begin; first < end; first += groups_ * lines_of_warp_) {
        const i32 line = first + group_ * lines_of_warp_ + line_of_lane_;
        make_cell(line_of_lane_ < lines_of_warp_ && line < end ? line : -1, parity);
        parity ^= 1;
      }
    }
  }

  /// Makes the lane's cell of a line. All threads call it. @param line -1: none
  __device__ void make_cell(i32 line, i32 parity) {
    Words cell = low_;
    i64 index = -1;
    State state = Rule::none();
    bool active = line >= 0;
    if (active) {
      const LinePlace& place = layout_.lines[line];
      cell = cell.plus(place.packed);
      cell.add(layout_.along_word, static_cast<u64>(along_) << layout_.along_shift);
      index = block_.offset + place.offset + along_;
      active = index <= work_.last_cell && work_.last.at_least(cell, layout_.guards);
    }
    if (active) gather(cell, index, state);
    if (layout_.ways > 1) {
      partial_[parity * tile_threads + threadIdx.x] = state;
      __syncthreads();
      if (way_ != 0) return;
      for (i32 way = 1; way < layout_.ways; ++way) {
        merge_states<Rule>(state, partial_[parity * tile_threads + threadIdx.x + 32 * way], layout_);
      }
    }
    if ((layout_.lines_along > 1 || work_.mixed != 0) && active) gather_from_line_before(cell, index, state);
    const Wide value = along_line(active && work_.has_zero != 0 && index == 0, state);
    if (active) store(index, value, state);
  }

  /// Takes the values where the thread's share of the steps leads.
  __device__ void gather(const Words& cell, i64 index, State& state) const {
    const char* here = static_cast<const char*>(work_.task.cells) + index * static_cast<i64>(sizeof(T));
    take_certain(here, state);
    if (layout_.guards.word[1] == 0) {
      const u64 guards = layout_.guards.word[0], guarded = cell.word[0] | guards;
      take_tested(here, state, [&](i32 i) { return (~(guarded - steps_.packed[i].word[0]) & guards) == 0; });
    } else {
      take_tested(here, state, [&](i32 i) { return cell.at_least(steps_.packed[i], layout_.guards); });
    }
    for (i32 i = layout_.staged_count + way_; i < layout_.step_count; i += layout_.ways) {
      const DeviceStep& step = layout_.steps[i];
      if (!cell.at_least(step.packed, layout_.guards)) continue;
      const T* from = Reach<T>{work_}.at(index, step.offset, step.source);
      if (from == nullptr) continue;
      Rule::take(state, *from, cost_of<Wide>(step.whole_cost, step.real_cost), step.number, layout_);
    }
  }

  /// Steps of a list that a way takes, whole groups before the last.
  __device__ i32 share_of(i32 count) const {
    return (count + steps_at_once * layout_.ways - 1) / (steps_at_once * layout_.ways) * steps_at_once;
  }

  __device__ __forceinline__ void take_certain(const char* here, State& state) const {
    const i32 count = ticket_.certain, share = share_of(count);
    i32 i = way_ * share;
    const i32 end = i + share < count ? i + share : count;
    for (; i + steps_at_once <= end; i += steps_at_once) {
      Wide values[steps_at_once];
#pragma unroll
      for (i32 k = 0; k < steps_at_once; k += 2) {
        const DeltaPair pair = *reinterpret_cast<const DeltaPair*>(steps_.delta + i + k);
        values[k] = *reinterpret_cast<const T*>(here + pair.first);
        values[k + 1] = *reinterpret_cast<const T*>(here + pair.second);
      }
#pragma unroll
      for (i32 k = 0; k < steps_at_once; ++k) take(i + k, values[k], state);
    }
    for (; i < end; ++i) take(i, *reinterpret_cast<const T*>(here + steps_.delta[i]), state);
  }

  /// @param fits tells if a staged step fits the cell.
  template <class Fits>
  __device__ __forceinline__ void take_tested(const char* here, State& state, const Fits& fits) const {
    const i32 first = layout_.capacity - ticket_.tested, share = share_of(ticket_.tested);
    i32 i = first + way_ * share;
    const i32 end = i + share < layout_.capacity ? i + share : layout_.capacity;
    for (; i + tests_at_once <= end; i += tests_at_once) {
      bool fit[tests_at_once];
      Wide values[tests_at_once];
#pragma unroll
      for (i32 k = 0; k < tests_at_once; ++k) fit[k] = fits(i + k);
        // An unreached value changes nothing.
#pragma unroll
      for (i32 k = 0; k < tests_at_once; ++k) {
        values[k] = fit[k] ? static_cast<Wide>(*reinterpret_cast<const T*>(here + steps_.delta[i + k]))
                           : static_cast<Wide>(Rule::unreached());
      }
#pragma unroll
      for (i32 k = 0; k < tests_at_once; ++k) take(i + k, values[k], state);
    }
    for (; i < end; ++i) {
      if (fits(i)) take(i, *reinterpret_cast<const T*>(here + steps_.delta[i]), state);
    }
  }

  /// Takes the value where a staged step leads.
  __device__ __forceinline__ void take(i32 i, Wide value, State& state) const {
    Wide cost = 0;
    i32 number = 0;
    if constexpr (Rule::has_costs) cost = steps_.cost[i];
    if constexpr (Rule::has_choice) number = steps_.number[i];
    Rule::take(state, value, cost, number, layout_);
  }

  /// Takes the values of the line before it where inner steps lead.
  __device__ void gather_from_line_before(const Words& cell, i64 index, State& state) const {
    const u64 from_zero = cell.at(layout_.along_word) >> layout_.along_shift & layout_.along_mask;
    for (i32 i = layout_.inner_begin[along_ + 1]; i < layout_.inner_begin[most_line_cells]; ++i) {
      const InnerStep& step = layout_.inner[i];
      if (static_cast<u64>(step.along) > from_zero) break;
      const T* from = Reach<T>{work_}.at(index, step.along, 0);
      if (from != nullptr) take_inner(*from, step, state);
    }
  }

  __device__ __forceinline__ void take_inner(Wide value, const InnerStep& step, State& state) const {
    Rule::take(state, value, cost_of<Wide>(step.whole_cost, step.real_cost), step.number, layout_);
  }

  /// Goes along the lines of a warp: each cell gives its value to those after it. @return the cell's value
  __device__ Wide along_line(bool is_zero, State& state) const {
    const auto made = [&] { return is_zero ? Rule::origin(layout_) : Rule::made(state, layout_); };
    if (layout_.inner_lengths == 0) return made();
    const i32 first = line_of_lane_ * layout_.line_cells;
    for (i32 from = 0; from + 1 < layout_.line_cells; ++from) {
      const Wide value = __shfl_sync(~0u, made(), (first + from) % 32);
      const i32 length = along_ - from;
      if (length <= 0 || (layout_.inner_lengths >> length & 1u) == 0) continue;
      if constexpr (Rule::has_costs || Rule::has_choice || Rule::counts) {
        for (i32 i = layout_.inner_begin[length]; i < layout_.inner_begin[length + 1]; ++i) {
          take_inner(value, layout_.inner[i], state);
        }
      } else {
        Rule::take(state, value, 0, 0, layout_);
      }
    }
    return made();
  }

  __device__ void store(i64 index, Wide value, const State& state) const {
    static_cast<T*>(work_.task.cells)[index] = static_cast<T>(value);
    const bool is_zero = work_.has_zero != 0 && index == 0;
    if constexpr (Rule::has_choice) work_.task.choice[index] = is_zero ? -1 : state.number;
    if constexpr (Rule::counts) {
      if (!is_zero && Rule::overflows(state)) atomicMin(&state_->overflow, static_cast<u64>(index));
    }
  }

  const device::Port& port_;
  TableState* state_;
  u64* counters_;
  const TileWork& work_;
  const TableLayout& layout_;
  TileTicket& ticket_;
  StagedSteps<Rule> steps_;
  State* partial_;  // of the ways, two of each thread
  SubBlock block_;
  Words low_;  // the sub-block's first cell
  i32 line_of_lane_, along_, lines_of_warp_, way_, group_, groups_;
};

/// Makes a tile. Any number of thread blocks.
template <class Rule>
__global__ void __launch_bounds__(tile_threads, tile_blocks)
    make_tile_kernel(const __grid_constant__ device::Port port, TableState* state, u64* counters,
                     const __grid_constant__ TileWork work) {
  __shared__ TileTicket ticket;
  if (state->begun == 0) return;
  TileMaker<Rule>(port, state, counters, work, ticket).make();
}

}  // namespace terrace::dp_table
