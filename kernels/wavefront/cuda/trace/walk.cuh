// The way back through the codes of a piece, by one warp: the path's steps, and its place.
#pragma once

#include "kernels/wavefront/cuda/trace/codes.cuh"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

/// Data of the walking warp in shared memory: codes of the last steps of a band, from `first_step` on, and the
/// letters of their rows and columns.
struct TraceWalkMemory {
  static constexpr int steps = measured::CudaTrace::held_steps;
  alignas(16) u64 codes[steps * trace_step_bytes / sizeof(u64)];
  device::u8 rows[trace_band_rows];
  device::u8 columns[steps + 32];
  u32 path[most_path_steps / 16];
};

/// Walks through codes. All lanes take part: each reads the cell that the path reaches if it continues straight.
template <class P, class Task>
class TraceWalk {
 public:
  __device__ TraceWalk(const TraceArguments<Task>& arguments, const Task& task, TraceWalkMemory& memory)
      : a_(arguments), task_(task), memory_(memory), lane_(lane_index()), place_(task.place) {
    for (u32 at = static_cast<u32>(lane_); at < most_path_steps / 16; at += 32) memory_.path[at] = 0;
  }

  /// Through the piece that the path is in, until it leaves that, ends, or the result is full.
  __device__ void run(const TraceExtent& extent) {
    extent_ = extent;
    codes_ = codes_of(a_, buffer_of(a_, task_, extent.piece), 0);
    row_ = extent.rows;
    column_ = extent.columns;
    gap_ = place_.gap;
    band_ = -1;
    while (row_ > 0 && column_ > 0 && !ended_ && room() > 0) {
      look_at_codes();
      const u32 code = code_at(row_ - 1 - lane_, column_ - 1 - lane_);
      u32 from = code == unknown ? TraceCode::end : code & TraceCode::from;
      if (lane_ == 0) from = from_in_gap(code);
      const u32 paired = __ballot_sync(~0u, code != unknown && from == TraceCode::diagonal);
      const i32 pairs = minimum(leading(paired), room());
      if (pairs > 0) add_pairs(pairs);
      else go_from(__shfl_sync(~0u, from, 0));
    }
    place_ = {extent_.piece.row + row_, extent_.piece.column + column_, gap_, ended_ ? 1 : 0};
  }

  __device__ i32 count() const { return count_; }
  /// The place of the path.
  __device__ const PathPlace& place() const { return place_; }
  /// Steps that the result has room for.
  __device__ i32 room() const { return static_cast<i32>(most_path_steps) - count_; }

 private:
  static constexpr u32 unknown = 16;

  __device__ static i32 leading(u32 ballot) { return ~ballot == 0 ? 32 : __ffs(static_cast<int>(~ballot)) - 1; }
  /// Makes sure that the code of the cell that the path is in is in shared memory.
  __device__ void look_at_codes() {
    const i32 band = (row_ - 1) / trace_band_rows, step = step_of(row_ - 1, column_ - 1);
    if (band == band_ && step >= first_step_) return;
    __syncwarp();
    band_ = band;
    first_step_ = maximum(0, step + 1 - TraceWalkMemory::steps);
    const u64* from = reinterpret_cast<const u64*>(codes_ + (band * a_.band_steps + first_step_) * 32);
    const i32 words = (step + 1 - first_step_) * trace_step_bytes / static_cast<i32>(sizeof(u64));
#pragma unroll 8
    for (i32 at = 2 * lane_; at < words; at += 64) {
      device::load_past_l1(from + at, memory_.codes[at], memory_.codes[at + 1]);
    }
    if constexpr (P::items == Items::letters) load_letters(step);
    __syncwarp();
  }
  __device__ void load_letters(i32 step) {
    const i64 row = extent_.piece.row - task_.row_begin + band_ * trace_band_rows;
    const i64 column = extent_.piece.column - task_.column_begin;
    for (i32 at = lane_; at < trace_band_rows && band_ * trace_band_rows + at < extent_.rows; at += 32) {
      memory_.rows[at] = device::load_past_l1(static_cast<const device::u8*>(task_.rows) + row + at);
    }
    first_column_ = maximum(0, first_step_ - 31);
    for (i32 at = first_column_ + lane_; at <= step && at < extent_.columns; at += 32) {
      memory_.columns[at - first_column_] =
          device::load_past_l1(static_cast<const device::u8*>(task_.columns) + column + at);
    }
  }

  /// The step of its band in which a cell was computed.
  __device__ static i32 step_of(i32 row, i32 column) { return column + row % trace_band_rows / trace_lane_rows; }
  /// The code of a cell up or left of the path's; `unknown` if it is not in shared memory.
  __device__ u32 code_at(i32 row, i32 column) const {
    if (row < band_ * trace_band_rows || column < 0) return unknown;
    const i32 step = step_of(row, column);
    if (step < first_step_) return unknown;
    const u16* codes = reinterpret_cast<const u16*>(memory_.codes) + (step - first_step_) * 32;
    return u32{codes[row % trace_band_rows / trace_lane_rows]} >> (4 * (row % trace_lane_rows)) & 15u;
  }
  __device__ u32 from_in_gap(u32 code) const {
    const u32 from = code & TraceCode::from;
    if (gap_ == PathGap::row) return code & TraceCode::opens_down ? from : TraceCode::up;
    if (gap_ == PathGap::column) return code & TraceCode::opens_right ? from : TraceCode::left;
    return from;
  }

  __device__ void add_pairs(i32 pairs) {
    const i32 row = row_ - 1 - lane_, column = column_ - 1 - lane_;
    PathStep step = PathStep::match;
    if constexpr (P::items == Items::letters) {
      const bool equal =
          lane_ < pairs && memory_.rows[row % trace_band_rows] == memory_.columns[column - first_column_];
      step = equal ? PathStep::match : PathStep::mismatch;
    }
    add(step, pairs);
    row_ -= pairs;
    column_ -= pairs;
    gap_ = PathGap::none;
  }

  /// One step up or left, and in an affine gap all that follow until the cell that opened it.
  __device__ void go_from(u32 from) {
    ended_ = from == TraceCode::end;
    if (ended_) return;
    const bool up = from == TraceCode::up;
    i32 more = 0;
    if (up ? P::row_planes == 2 : P::column_planes == 2) {
      const u32 code = up ? code_at(row_ - 2 - lane_, column_ - 1) : code_at(row_ - 1, column_ - 2 - lane_);
      const u32 opened = up ? TraceCode::opens_down : TraceCode::opens_right;
      more = leading(__ballot_sync(~0u, code != unknown && (code & opened) == 0));
      gap_ = up ? PathGap::row : PathGap::column;
    } else {
      gap_ = PathGap::none;
    }
    const i32 steps = minimum(1 + more, room());
    for (i32 done = 0; done < steps; done += 32)
      add(up ? PathStep::row : PathStep::column, minimum(32, steps - done));
    (up ? row_ : column_) -= steps;
  }

  /// Adds a step of each of the first lanes.
  __device__ void add(PathStep step, i32 lanes) {
    const u32 at = static_cast<u32>(count_ + lane_);
    if (lane_ < lanes) atomicOr(&memory_.path[at / 16], static_cast<u32>(step) << (2 * (at % 16)));
    count_ += lanes;
  }

  const TraceArguments<Task>& a_;
  const Task& task_;
  TraceWalkMemory& memory_;
  const int lane_;
  PathPlace place_;           // place of the path before the piece
  TraceExtent extent_{};      // of the piece
  u16* codes_ = nullptr;      // of the piece
  i32 row_ = 0, column_ = 0;  // letters consumed, counted from the piece's first
  PathGap gap_{};
  bool ended_ = false;
  i32 count_ = 0;
  i32 band_ = -1, first_step_ = 0, first_column_ = 0;  // of the codes in shared memory
};

}  // namespace terrace::wavefront
