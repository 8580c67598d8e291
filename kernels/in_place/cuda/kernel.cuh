// The CUDA kernel of in-place sweeps. A warp sweeps a band of 128 lines (place.cuh) from left to right, up
// to 16 sweeps at once, which stay in registers: a lane has four lines and is a step behind the lane above it, a band
// some steps behind the band above it.
#pragma once

#include "kernels/in_place/cuda/cells.cuh"
#include "kernels/in_place/cuda/edge.cuh"
#include "kernels/in_place/cuda/rows.cuh"
#include "kernels/in_place/cuda/strides.cuh"

namespace terrace::in_place {

/// Warps of a thread block.
inline constexpr int in_place_warps = 4;

/// The class that moves the rows of a band.
template <class T, int slant, bool few, bool strides>
struct InPlaceMover {
  using Rows = InPlaceRows<T, slant, few>;
};
template <class T, int slant, bool few>
struct InPlaceMover<T, slant, few, true> {
  using Rows = InPlaceStrides<T, slant, few>;
};
template <class T, int slant, bool few>
using InPlaceMoved =
    typename InPlaceMover<T, slant, few, InPlaceShape{slant, static_cast<int>(sizeof(T)), few}.strides()>::Rows;

/// Shared memory of a warp.
template <class T, int slant, bool few>
struct InPlaceMemory {
  typename InPlaceMoved<T, slant, few>::Memory rows;
  typename InPlaceEdge<T, slant, few>::Memory edge;
  InPlaceTask task;
  InPlaceBand band;
};

/// One warp sweeping bands.
template <class P, class T, bool few>
class InPlaceWarp {
 public:
  static constexpr int slant = P::corners ? 1 : 0;
  using Memory = InPlaceMemory<T, slant, few>;
  using Rows = InPlaceMoved<T, slant, few>;
  using Edge = InPlaceEdge<T, slant, few>;
  static constexpr int S = Edge::S, C = Edge::C, R = Rows::R, K = Edge::K;
  using Cells = InPlaceCells<P, T, S>;
  static constexpr int behind = Edge::shape.behind();
  /// Columns that are stored later than they are given, at most.
  static constexpr int stored_late = Rows::P + Rows::V;
  /// Pieces between two reports of progress to the next group: each report waits for all stores.
  static constexpr int pieces_a_word = 128 / K;
  /// The first step of bands: the steps before the first columns request their inputs.
  static constexpr i32 begin_step = -((Rows::ahead + K) / K * K);

  __device__ InPlaceWarp(const InPlaceArguments& arguments, const typename P::template Constants<T>& constants,
                         Memory& memory)
      : a_(arguments),
        k_(constants),
        m_(memory),
        band_(memory.band),
        lane_(static_cast<int>(threadIdx.x % 32)),
        columns_(static_cast<i32>(arguments.columns)),
        end_step_((columns_ + S + behind + stored_late + K) / K * K),
        rows_(memory.rows, lane_, columns_),
        edge_(arguments, memory.edge, lane_) {}

  /// Takes and sweeps bands until none is left.
  __device__ void work() {
    while (take()) {
      if (band_.live > 0 && !sweep_band()) return;
      finish();
    }
  }

 private:
  __device__ InPlaceLines<S> slab() const { return {a_, m_.task}; }
  __device__ u64* progress_of(u32 group) const {
    return a_.progress + ((band_.slab % a_.launch.slots) * a_.groups + group) * a_.group_bands + band_.index;
  }

  /// The warp's next ticket; false when the launch is over.
  __device__ bool take() {
    const u64 ticket = device::take_ticket_by_warp(a_.launch);
    if (ticket >= a_.tickets) return false;
    const u64 number = ticket / a_.slab_tickets;
    InPlaceSlot* slot = a_.slots + number % a_.launch.slots;
    const bool leader = ticket % a_.slab_tickets == 0;
    const auto begin = [&] { return device::begin_block(a_.launch, number, leader, &slot->task); };
    if (!device::wait_by_first_lane(begin)) return false;
    device::copy_descriptor<32>(slot->task, m_.task, static_cast<u32>(lane_));
    __syncwarp();
    // This slab has taken over the last rows of the one before it.
    if (leader && number > 0 && m_.task.left_before == 0) finish_part(number - 1, a_.slab_tickets + 1);
    if (lane_ == 0) slab().place(number, static_cast<u32>(ticket % a_.slab_tickets), m_.band);
    __syncwarp();
    return true;
  }

  /// Waits until the band of the group before has stored the rows requested here up to step `end`. All lanes call it.
  __device__ bool wait_for_rows(i32 end) const {
    if (!band_.follows) return true;
    const i32 last = end + Rows::ahead + S + stored_late + C, wanted = last < end_step_ ? last : end_step_;
    const u64 value = steps_done(wanted);
    const u64* word = progress_of(band_.group - 1);
    return device::wait_by_first_lane([&] {
      return device::wait_until<device::backoffs::in_place_rows>(
          [&] { return device::load_acquire(word) >= value; },
          [&] { return device::must_leave(a_.launch, band_.slab); });
    });
  }
  __device__ u64 steps_done(i32 end) const { return (band_.slab + 1) << 32 | static_cast<u64>(end - begin_step); }

  /// Tells the next group that the steps before `end` are done.
  __device__ void publish(i32 end) const {
    if (!band_.is_followed) return;
    device::random_delay(a_.launch, band_.tag + static_cast<u64>(end));
    __syncwarp();
    if (lane_ == 0) {
      __threadfence();
      device::store_release(progress_of(band_.group), steps_done(end));
    }
  }

  __device__ InPlaceRim find_rim() const {
    const i64 row = band_.first_line + lane_ * R - static_cast<i64>(band_.group) * S;
    const auto distance = [&](i64 to) {
      const i64 rows = to - row;
      return static_cast<i32>(rows < -InPlaceShape::rows  ? -InPlaceShape::rows
                              : rows > InPlaceShape::rows ? InPlaceShape::rows
                                                          : rows);
    };
    return {distance(1), distance(a_.rows - 1), distance(band_.rim_row), 0, columns_, band_.live - lane_ * R,
            band_.sweeps};
  }

  /// True if all columns that the piece from step t on makes, requests and stores lie inside the rim.
  __device__ bool is_inside(i32 t) const { return t > behind + S + stored_late && t + K + Rows::ahead < columns_; }

  /// Steps [t, t + C).
  template <InPlaceCare care, bool careful, bool aligned>
  __device__ __forceinline__ void stride(Cells& cells, InPlaceRim& rim, i32 t) {
    T above[C][S + 1], in[R][C], out[R][C], below[C][S + 1];
    if constexpr (C == 1) rows_.template move<careful>(t);
    edge_.take(t, above);
#pragma unroll
    for (int r = 0; r < R; ++r) rows_.template take<aligned>(r, t, in[r]);
    if constexpr (C > 1) rows_.template move<careful>(t);
#pragma unroll
    for (int c = 0; c < C; ++c) {
      rim.column = t + c - rows_.lag(0);
      T column[R], made[R];
#pragma unroll
      for (int r = 0; r < R; ++r) column[r] = in[r][c];
      cells.template advance<care>(k_, above[c], column, rim, made);
#pragma unroll
      for (int s = 0; s <= S; ++s) below[c][s] = cells.value(R - 1, s);
#pragma unroll
      for (int r = 0; r < R; ++r) out[r][c] = made[r];
    }
    edge_.give(t, below);
#pragma unroll
    for (int r = 0; r < R; ++r) rows_.template give<aligned>(r, t, out[r]);
    rows_.wait();
    __syncwarp();
  }

  /// A piece. @tparam careful moved columns may lie outside the rows @tparam aligned rows are aligned
  template <InPlaceCare care, bool careful, bool aligned>
  __device__ __forceinline__ void sweep_piece(Cells& cells, i32 begin) {
    InPlaceRim rim{};
    if (care != InPlaceCare::none) rim = find_rim();
#pragma unroll(care == InPlaceCare::columns || care == InPlaceCare::all || P::corners ? 1 : 2)
    for (i32 t = begin; t < begin + K; t += C) stride<care, careful, aligned>(cells, rim, t);
  }

  /// A piece, with as much care as it needs.
  template <bool aligned>
  __device__ __forceinline__ void sweep_piece(Cells& cells, i32 begin) {
    const bool inside = is_inside(begin), simple = band_.simple && inside;
    if (simple && band_.rims == 0) sweep_piece<InPlaceCare::none, false, aligned>(cells, begin);
    else if (simple && band_.rims <= 1) sweep_piece<InPlaceCare::row, false, aligned>(cells, begin);
    else if (band_.simple && band_.rims == 0) sweep_piece<InPlaceCare::columns, true, aligned>(cells, begin);
    else sweep_piece<InPlaceCare::all, true, aligned>(cells, begin);
  }

  __device__ bool sweep_band() {
    Cells cells{};
    rows_.begin(slab(), band_);
    edge_.begin(slab(), band_, begin_step);
    for (i32 t = begin_step; t < end_step_; t += K) {
      if (!wait_for_rows(t + K) || !edge_.take_piece(slab(), band_, t)) return false;
      if (rows_.are_aligned()) sweep_piece<(C > 1)>(cells, t);
      else sweep_piece<false>(cells, t);
      edge_.give_piece(slab(), band_, t);
      if (t / K % pieces_a_word == 0 || t + K >= end_step_) publish(t + K);
      __syncwarp();
    }
    return true;
  }

  __device__ void finish() { finish_part(band_.slab, a_.slab_tickets + (slab().ends_part() ? 0 : 1)); }

  /// Counts one of so many parts of a slab: its tickets, and the begin of the next slab unless it leaves nothing to
  /// that. The last part reports the slab.
  __device__ void finish_part(u64 slab, u32 parts) {
    __syncwarp();
    u32* finished = &a_.slots[slab % a_.launch.slots].finished;
    if (lane_ == 0 && device::finish_piece(finished, parts)) {
      device::report_block(a_.launch, slab, InPlaceResult{1}, false);
    }
    __syncwarp();
  }

  const InPlaceArguments& a_;
  const typename P::template Constants<T>& k_;
  Memory& m_;
  const InPlaceBand& band_;
  const int lane_;
  const i32 columns_, end_step_;
  Rows rows_;
  Edge edge_;
};

template <class P, class T, bool few>
__global__ void __launch_bounds__(32 * in_place_warps, InPlaceWarp<P, T, few>::Edge::shape.thread_blocks())
    sweep_in_place_kernel(const __grid_constant__ InPlaceArguments arguments,
                          const __grid_constant__ typename P::template Constants<T> constants) {
  using Memory = InPlaceMemory<T, P::corners ? 1 : 0, few>;
  device::begin_in_turn(arguments.launch, arguments.tickets, arguments.processors, blockDim.x / 32);
  InPlaceWarp<P, T, few>(arguments, constants,
                         reinterpret_cast<Memory*>(device::launch_shared_memory())[threadIdx.x / 32])
      .work();
}

/// The slab that was begun last in a launch that has ended.
__device__ inline u64 last_slab_begun(const InPlaceArguments& a) { return a.launch.words->begun.word - 1; }

/// True if a launch that has ended computed a slab, and was not told to leave.
__device__ inline bool leaves_a_slab(const InPlaceArguments& a) {
  return a.launch.words->begun.word > 0 && a.launch.words->abort.word == 0;
}

/// After a launch: writes the edge that its last slab would have handed on into that slab's last rows (task.hpp).
/// Thread blocks are dealt to the groups of sweeps in turn; a thread has columns.
template <class P, class T, bool few>
__global__ void leave_rows_kernel(const __grid_constant__ InPlaceArguments arguments) {
  using Edge = InPlaceEdge<T, P::corners ? 1 : 0, few>;
  constexpr int S = Edge::S;
  if (!leaves_a_slab(arguments)) return;
  const InPlaceTask& task = arguments.slots[last_slab_begun(arguments) % arguments.launch.slots].task;
  const InPlaceLines<S> slab{arguments, task};
  const u32 group = blockIdx.x % arguments.groups, parts = gridDim.x / arguments.groups;
  if (slab.is_last() || slab.ends_part() || static_cast<i64>(group) * S >= task.sweeps) return;
  const int sweeps = static_cast<int>(slab.sweeps_of(group));
  for (i64 column = blockIdx.x / arguments.groups * static_cast<i64>(blockDim.x) + threadIdx.x;
       column < arguments.columns; column += static_cast<i64>(parts) * blockDim.x) {
    for (int sweep = group == 0 ? 0 : 1; sweep <= sweeps; ++sweep) {
      const i64 row = task.row_end - 1 - static_cast<i64>(group) * S - sweep;
      slab.template row<T>(row)[column] = Edge::handed_down(arguments, group, sweep, static_cast<i32>(column));
    }
  }
}

/// After leave_rows_kernel: reports the last slab, unless it has reported itself.
template <class P>
__global__ void report_last_slab_kernel(const __grid_constant__ InPlaceArguments arguments) {
  if (!leaves_a_slab(arguments)) return;
  const InPlaceTask& task = arguments.slots[last_slab_begun(arguments) % arguments.launch.slots].task;
  if (InPlaceLines<1>{arguments, task}.ends_part()) return;
  device::report_block(arguments.launch, last_slab_begun(arguments), InPlaceResult{1}, false);
}

}  // namespace terrace::in_place
