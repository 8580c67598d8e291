// Several steps of an update in three dimensions, with planes streamed through registers.
//
// A thread block takes a tile of the planes (lines along the last axis, one below another along the middle axis) and
// streams through a chunk of planes. A thread holds 16 bytes of some lines that follow one another. Instead of
// earlier planes, a level keeps partial sums (sums.cuh); planes arrive in the order of the terms, so every sum has
// the order of its definition. Of other cells it keeps what the plane below is not needed for (parts.cuh), or the
// planes themselves (window.cuh), whose neighbours in the plane it looks at a plane later. Neighbours along a line
// come from other lanes; those along the middle axis from the threads above and below through shared memory, where
// each thread leaves its first and last lines of the newest planes of all levels, twice in turn: one barrier a plane
// serves all levels.
//
// A thread copies its own cells from memory, some planes ahead, and writes its own results.
//
// Levels are made `radius` cells less at each side of a tile, unless it ends at a fixed end of the grid: there the
// outermost cells keep their values, or have faces, as do planes at the grid's ends. A sum that is kept takes its own
// cell's value and no more terms.
#pragma once

#include "kernels/stencil/cuda/common/chunk.cuh"
#include "kernels/stencil/cuda/common/ticks.cuh"
#include "kernels/stencil/cuda/common/windows.hpp"
#include "kernels/stencil/cuda/planes/memory.cuh"
#include "kernels/stencil/cuda/planes/parts.cuh"
#include "kernels/stencil/cuda/planes/sums.cuh"
#include "kernels/stencil/cuda/planes/window.cuh"

namespace terrace::stencil {

/// A level of a kind.
template <class S, VolumeKind kind>
struct VolumeLevel;
template <class S>
struct VolumeLevel<S, VolumeKind::star> : VolumeStar<S> {};
template <class S>
struct VolumeLevel<S, VolumeKind::box> : VolumeBox<S> {};
template <class S>
struct VolumeLevel<S, VolumeKind::parts> : VolumeParts<S> {};
template <class S>
struct VolumeLevel<S, VolumeKind::windows> : VolumeWindow<S> {};

/// A thread's share of a launch.
/// @param aligned true if lines begin at multiples of 16 bytes
template <class S, bool aligned>
class Volume {
  using T = typename S::Value;
  using Chunk = ValueChunk<T>;
  using Task = typename S::Task;
  using Level = VolumeLevel<S, S::kind>;

 public:
  __device__ __forceinline__ explicit Volume(const Task& task)
      : task_(task), shared_(reinterpret_cast<Chunk*>(device::launch_shared_memory())) {
    const RowChunk chunk = task.chunks.chunk(blockIdx.x);
    const i32 number = static_cast<i32>(chunk.tile);
    place_planes(chunk);
    place_cells(VolumePlace::of(task.middle, number / task.last.tiles, S::height, S::lines_halo),
                VolumePlace::of(task.last, number % task.last.tiles, S::width, S::cells_halo));
  }

  __device__ __forceinline__ void run() {
    for (i32 plane = 0; plane + 1 < S::slots; ++plane) fetch(plane);
    const i32 ticks = count_ + S::delay + S::depth;
    // In between there is a plane for every level, none of which is kept.
    // Cells that are kept may be anywhere in a tile that is longer than an axis.
    const bool is_inside = is_within(task_.middle, S::height) && is_within(task_.last, S::width);
    const i32 begin = task_.levels == S::levels && is_inside ? low_ + S::delay : ticks;
    const i32 end = high_ < ticks ? high_ : ticks;
    make_ticks(*this, ticks, begin < 0 ? 0 : begin, end);
  }

  // For make_ticks():
  __device__ __forceinline__ bool has_edges() const { return has_edges_; }
  __device__ __forceinline__ i32 end_of_plain_ticks(i32 end) const { return end; }
  /// Takes the next plane from memory and makes a plane of every level.
  template <bool edges, bool rims>
  __device__ __forceinline__ void advance(i32 tick) {
    take(tick);
    if constexpr (S::kind == VolumeKind::windows) {
#pragma unroll
      for (i32 level = 0; level < S::levels; ++level) make_window<edges, rims>(tick, level);
      write(tick - S::delay - S::depth);
      __syncthreads();
    } else {
      make_planes<edges, rims>(tick);
    }
  }

 private:
  static __device__ __forceinline__ i32 thread() { return static_cast<i32>(threadIdx.x); }
  static __device__ __forceinline__ i32 lane() { return thread() % S::lanes; }
  static __device__ __forceinline__ i32 group() { return thread() / S::lanes; }
  /// The threads that hold the lines above and below; the thread itself at a tile's ends, where cells are not made.
  static __device__ __forceinline__ i32 above() { return group() == 0 ? thread() : thread() - S::lanes; }
  static __device__ __forceinline__ i32 below() {
    return thread() + S::lanes < S::threads ? thread() + S::lanes : thread();
  }

  /// Makes a plane of every level of sums and of cells in two parts.
  template <bool edges, bool rims>
  __device__ __forceinline__ void make_planes(i32 tick) {
    if constexpr (!S::box) {
#pragma unroll
      for (i32 level = 0; level < S::levels; ++level) {
        levels_[level].template complete<edges, rims>(x_[level], x_[level + 1], task_.operands, rims_of<rims>(level),
                                                      tick - level * S::lag);
      }
      write(tick - S::delay - S::depth);
    }
#pragma unroll
    for (i32 level = 0; level < S::levels; ++level) leave(tick, level);
    __syncthreads();
#pragma unroll
    for (i32 level = S::levels - 1; level >= 0; --level) {
      VolumeNear<S> near[S::fields];
      look_around(tick, level, x_[level], near);
      const i32 plane = tick - level * S::lag;
      if constexpr (S::box) {
        levels_[level].template add<edges, rims>(near[0], x_[level + 1], task_.operands, rims_of<rims>(level), plane);
        if (level + 1 == S::levels) write(tick - S::delay - S::depth);
      } else if constexpr (S::kind == VolumeKind::parts) {
        levels_[level].add(near, x_[level]);
      } else {
        levels_[level].template add<edges, rims>(near[0], task_.operands, rims_of<rims>(level), plane);
      }
    }
  }

  /// Makes a plane of a level of windows. Its neighbours were left in the tick before.
  template <bool edges, bool rims>
  __device__ __forceinline__ void make_window(i32 tick, i32 level) {
    VolumeNear<S> near[S::fields];
    look_around(tick - 1, level, levels_[level].centre, near);
    leave(tick, level);
    const i32 plane = tick - level * S::lag - 1;
    const i64 step = task_.operands.step + (level < task_.levels ? level : task_.levels - 1);
    levels_[level].template make<edges, rims>(
        near, x_[level], x_[level + 1], task_, places_,
        {plane, row_index(task_, first_ + plane), step, rims && plane == low_ - 1, rims && plane == high_},
        WindowArrays<S, aligned>(task_, cell_, column_, plane, level == 0), rims_of<rims>(level));
  }

  __device__ __forceinline__ void place_planes(const RowChunk& chunk) {
    first_ = task_.rows.begin + chunk.begin - S::depth;
    count_ = static_cast<i32>(chunk.count);
    const bool keeps = task_.keeps_rows != 0;
    low_ = keeps ? counted(S::radius) : -(1 << 30);
    high_ = keeps ? counted(task_.extent - S::radius) : 1 << 30;
  }
  /// A plane of the grid, counted from the first one that is read.
  __device__ __forceinline__ i32 counted(i64 plane) const {
    const i64 number = plane - first_;
    return static_cast<i32>(number < -(1 << 30) ? -(1 << 30) : number > 1 << 30 ? 1 << 30 : number);
  }
  __device__ __forceinline__ void place_cells(const VolumePlace& middle, const VolumePlace& last) {
    const i64 first_line = middle.begin + group() * S::lines, first_cell = last.begin + lane() * S::cells;
    column_ = aligned ? 0 : static_cast<i32>(first_cell);
    const i64 column = aligned ? place_on(task_.last, first_cell, S::cells) : 0;
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
      const i64 line = first_line + i;
      cell_[i] = static_cast<i32>(place_on(task_.middle, line, 1) * task_.last.extent + column);
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const i64 cell = first_cell + c;
        const u32 bit = 1u << (i * S::cells + c);
        if (middle.is_useful(line) && last.is_useful(cell)) written_ |= bit;
        if (S::keeps(task_, 1, line) || S::keeps(task_, 2, cell)) kept_ |= bit;
      }
    }
    at_left_ = S::keeps(task_, 2, first_cell);
    at_right_ = S::keeps(task_, 2, first_cell + S::cells - 1);
    at_top_ = S::keeps(task_, 1, first_line);
    at_bottom_ = S::keeps(task_, 1, first_line + S::lines - 1);
    places_ = typename S::Places(task_, first_line, first_cell);
    has_edges_ = touches_end(task_.middle, middle.begin, S::height) || touches_end(task_.last, last.begin, S::width);
  }
  static __device__ __forceinline__ bool is_within(const VolumeAxis& axis, i32 size) {
    return axis.wraps != 0 || axis.extent >= size;
  }
  static __device__ __forceinline__ bool touches_end(const VolumeAxis& axis, i64 begin, i32 size) {
    return axis.wraps == 0 && (begin < S::radius || begin + size > axis.extent - S::radius);
  }

  /// The kept cells of a level: by bits in the few ticks in which there may be rims or kept cells anywhere.
  template <bool rims>
  __device__ __forceinline__ VolumeRims<rims || S::cells_anywhere> rims_of(i32 level) const {
    return {kept_,      at_left_,        at_right_,        at_top_,
            at_bottom_, rims ? low_ : 0, rims ? high_ : 0, rims && level >= task_.levels};
  }

  /// Takes this thread's cells of a plane, and begins to copy those of a later one in their place.
  __device__ __forceinline__ void take(i32 plane) {
    device::wait_for_copies<S::slots - 2>();
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
#pragma unroll
      for (i32 i = 0; i < S::lines; ++i) unpack(slot(plane, f)[i * S::threads], x_[0].of[f][i]);
    }
    fetch(plane + S::slots - 1);
  }
  __device__ __forceinline__ Chunk* slot(i32 plane, i32 field) const {
    return shared_ + (plane & (S::slots - 1)) * S::slot_chunks + field * S::lines * S::threads + thread();
  }
  static __device__ __forceinline__ void unpack(const Chunk& chunk, T (&values)[S::cells]) {
    const Chunk copy = chunk;
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) values[c] = copy.values[c];
  }
  static __device__ __forceinline__ Chunk packed(const T (&values)[S::cells]) {
    Chunk chunk;
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) chunk.values[c] = values[c];
    return chunk;
  }

  /// Leaves this thread's first and last lines of a level's newest plane for the threads above and below.
  __device__ __forceinline__ void leave(i32 tick, i32 level) {
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
      if (!S::is_near(f)) continue;
      Chunk* to = exchange(tick, level, f) + thread();
#pragma unroll
      for (i32 e = 0; e < S::edges; ++e) {
        to[e * S::threads] =
            packed(x_[level].of[f][e < S::radius || S::edges == S::lines ? e : e + S::lines - S::edges]);
      }
    }
  }
  __device__ __forceinline__ Chunk* exchange(i32 tick, i32 level, i32 field) const {
    return shared_ + S::exchange_at + (tick & 1) * S::exchange_chunks +
           (level * S::near_fields + fields_among(S::Cell::near, field)) * S::edges * S::threads;
  }

  /// The plane that was a level's newest one in a tick, around this thread's cells, of the fields whose neighbours
  /// are read. @param x these cells
  __device__ __forceinline__ void look_around(i32 tick, i32 level, const VolumeFields<S>& x,
                                              VolumeNear<S> (&near)[S::fields]) const {
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
      if (S::is_near(f)) look_around(exchange(tick, level, f), x.of[f], near[f]);
    }
  }
  static __device__ __forceinline__ void look_around(const Chunk* from, const VolumeCells<S>& x,
                                                     VolumeNear<S>& near) {
#pragma unroll
    for (i32 j = 0; j < S::radius; ++j) {
      T values[S::cells];
      unpack(from[(S::edges - S::radius + j) * S::threads + above()], values);
      put(near, j, values, S::Cell::corners);
      unpack(from[j * S::threads + below()], values);
      put(near, S::radius + S::lines + j, values, S::Cell::corners);
    }
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) put(near, S::radius + i, x[i], true);
  }
  /// Puts a line in its place, with the neighbours along it if they are wanted.
  static __device__ __forceinline__ void put(VolumeNear<S>& near, i32 line, const T (&values)[S::cells],
                                             bool with_neighbours) {
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) near.at[line][S::radius + c] = values[c];
    if (!with_neighbours) return;
#pragma unroll
    for (i32 k = 1; k <= S::radius; ++k) {
      const i32 far = (k + S::cells - 1) / S::cells;
      near.at[line][S::radius - k] = __shfl_up_sync(~0u, values[far * S::cells - k], far);
      near.at[line][S::radius + S::cells - 1 + k] = __shfl_down_sync(~0u, values[k - 1 - (far - 1) * S::cells], far);
    }
  }

  /// Begins to copy this thread's cells of a plane.
  __device__ __forceinline__ void fetch(i32 plane) {
    if (plane < count_ + 2 * S::depth) {
#pragma unroll
      for (i32 f = 0; f < S::fields; ++f) {
        if (plane >= from_[f].end) from_[f] = memory_from<T>(task_, f, first_ + plane, plane);
        fetch_cells(from_[f].plane_0 + plane * task_.width, slot(plane, f));
      }
    }
    device::commit_copies();
  }
  __device__ __forceinline__ void fetch_cells(const T* from, Chunk* to) const {
    if constexpr (aligned) {
#pragma unroll
      for (i32 i = 0; i < S::lines; ++i) device::begin_copy(to + i * S::threads, from + cell_[i]);
    } else {
#pragma unroll 1
      for (i32 c = 0; c < S::cells; ++c) {
        const i32 column = static_cast<i32>(place_on(task_.last, column_ + c, 1));
#pragma unroll
        for (i32 i = 0; i < S::lines; ++i) {
          device::begin_small_copy(&to[i * S::threads].values[c], from + cell_[i] + column);
        }
      }
    }
  }
  /// Writes this thread's cells of a complete plane, counted from the chunk's first one on; nothing if it is not one
  /// of the chunk.
  __device__ __forceinline__ void write(i32 number) {
    if (number < 0 || number >= count_) return;
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
      if (number >= to_[f].end) to_[f] = memory_to<T>(task_, f, first_ + S::depth + number, number);
      write_cells(to_[f].plane_0 + number * task_.width, x_[S::levels].of[f]);
    }
  }
  __device__ __forceinline__ void write_cells(T* to, const VolumeCells<S>& values) const {
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
      if constexpr (aligned) {
        // Chunks are written as a whole or not at all.
        if ((written_ >> (i * S::cells) & 1) != 0) *reinterpret_cast<Chunk*>(to + cell_[i]) = packed(values[i]);
      } else {
#pragma unroll
        for (i32 c = 0; c < S::cells; ++c) {
          if ((written_ >> (i * S::cells + c) & 1) != 0) to[cell_[i] + column_ + c] = values[i][c];
        }
      }
    }
  }

  const Task& task_;
  Chunk* shared_;
  i64 first_;           // plane of the grid that is read first; of a periodic grid it may be below 0
  i32 count_;           // planes to make
  i32 low_, high_;      // planes below `low_` and from `high_` on keep their values, counted from the first one
  i32 cell_[S::lines];  // in a plane: this thread's cells, or the lines that have them if lines are not aligned
  i32 column_;          // the first cell in these lines, which may lie beyond their ends; 0 if lines are aligned
  u32 written_ = 0, kept_ = 0;                    // a bit a cell, line by line
  bool at_left_, at_right_, at_top_, at_bottom_;  // see VolumeRims
  typename S::Places places_;
  bool has_edges_;  // some cells of the thread block's tile are kept
  VolumeMemory<T> from_[S::fields] = {}, to_[S::fields] = {};
  VolumeFields<S> x_[S::levels + 1] = {};  // the newest plane of each level
  Level levels_[S::levels] = {};
};

template <class S, bool aligned>
__global__ void __launch_bounds__(S::threads, S::sizes.blocks)
    volume_kernel(const StencilState* state, const __grid_constant__ typename S::Task task) {
  if (state->begun == 0) return;
  S::prepare();
  Volume<S, aligned>(task).run();
}

}  // namespace terrace::stencil
