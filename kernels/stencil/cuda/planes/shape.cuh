// Sizes of a kernel that streams planes through registers, as constants, and the place of a tile in the grid.
#pragma once

#include "kernels/stencil/cuda/common/state_kernel.cuh"
#include "kernels/stencil/cuda/planes/task.hpp"
#include "kernels/values/rounded.hpp"

namespace terrace::stencil {

/// True if a cell keeps its value because of the axis' ends.
__device__ __forceinline__ bool is_kept_on(const VolumeAxis& axis, i64 index, i32 radius) {
  return axis.wraps == 0 && (index < radius || index >= axis.extent - radius);
}

/// The places of a thread's cells, for levels that do not ask for them.
struct NoPlaces {
  NoPlaces() = default;
  template <class Task>
  __device__ __forceinline__ NoPlaces(const Task&, i64, i64) {}
};

/// A kernel's sizes as constants. @tparam Cell_ what it knows of its cells, as SumCell
template <class T, VolumeKind kind_, i32 radius_, measured::VolumeSizes sizes_, class Cell_ = SumCell<kind_>>
struct VolumeShape {
  using Value = T;
  using Cell = Cell_;
  using Task = VolumeTask<T>;
  using Places = NoPlaces;
  static constexpr VolumeKind kind = kind_;
  static constexpr bool box = kind == VolumeKind::box;
  static constexpr i32 fields = Cell::fields;
  static constexpr i32 radius = radius_, span = 2 * radius + 1;
  static constexpr measured::VolumeSizes sizes = sizes_;
  static constexpr i32 levels = sizes.levels, lines = sizes.lines, lanes = sizes.lanes, slots = sizes.slots;

  /// True for a field of which neighbours in the plane are read.
  static constexpr __device__ __forceinline__ bool is_near(i32 field) { return (Cell::near >> field & 1) != 0; }
  static constexpr i32 near_fields = fields_among(Cell::near, fields);

  /// A box's sum ends with neighbours of a later plane, which have to be exchanged first, all others with the cell
  /// itself.
  static constexpr VolumeFrame frame = volume_frame(sizes, fields, near_fields, radius, box, sizeof(T));
  static constexpr i32 cells = frame.cells, threads = frame.threads;
  static constexpr i32 width = frame.width, height = frame.height;
  static constexpr i32 depth = frame.depth, lines_halo = frame.lines_halo, cells_halo = frame.cells_halo;
  static constexpr i32 lag = frame.lag, delay = frame.delay, edges = frame.edges;
  static constexpr i32 slot_chunks = frame.slot_chunks, exchange_chunks = frame.exchange_chunks;
  static constexpr i32 exchange_at = frame.exchange_at, shared_bytes = frame.shared_bytes;

  /// True if cells near the end of a line are of several threads.
  static constexpr bool cells_anywhere = radius > cells;

  /// Every thread calls it first.
  static __device__ __forceinline__ void prepare() {}
  /// True if cells of that index along axis 1 or 2 keep their values.
  static __device__ __forceinline__ bool keeps(const Task& task, i32 axis, i64 index) {
    return is_kept_on(axis == 1 ? task.middle : task.last, index, radius_);
  }

  static_assert(depth <= most_steps_at_once * radius);
  static_assert(lines >= radius && lines * cells <= 32 && 32 % lanes == 0);
  static_assert(width > 2 * cells_halo && height > 2 * lines_halo);
  static_assert((slots & (slots - 1)) == 0 && slots >= 2);
};

/// The place of a thread block's tile along an axis, in cells of the grid.
struct VolumePlace {
  i64 begin;                     // of the tile; of a periodic axis it may be below 0
  i64 useful_begin, useful_end;  // cells that are written

  /// @param size cells of a tile @param halo cells at a side of it that are not made
  static __device__ __forceinline__ VolumePlace of(const VolumeAxis& axis, i32 number, i32 size, i32 halo) {
    const i64 at = static_cast<i64>(number) * axis.stride;
    if (axis.wraps != 0) return {at - halo, at, values::smaller(at + axis.stride, axis.extent)};
    // The last tile ends at the grid's end, and leaves out what the one before has.
    const bool is_last = number + 1 == axis.tiles;
    const i64 begin = is_last && number > 0 ? axis.extent - size : at;
    return {begin, number == 0 ? 0 : at + halo, is_last ? axis.extent : at + size - halo};
  }
  __device__ __forceinline__ bool is_useful(i64 index) const { return index >= useful_begin && index < useful_end; }
};

/// The index of the cell whose value stands at an index of a tile, which may lie beyond the grid's ends.
/// @param count cells of an axis whose last ones take the place of those beyond it, if it is not periodic
__device__ __forceinline__ i64 place_on(const VolumeAxis& axis, i64 index, i32 count) {
  if (axis.wraps != 0) {
    index %= axis.extent;
    return index < 0 ? index + axis.extent : index;
  }
  return index < axis.extent - count ? index : axis.extent - count;
}

}  // namespace terrace::stencil
