// Sizes of a kernel that streams planes through registers, as constants, and the place of a tile in the grid.
#pragma once

#include "kernels/stencil/cuda/blocks/state_kernel.cuh"
#include "kernels/stencil/cuda/volumes/task.hpp"

namespace terrace::stencil {

using device::u32;

/// A kernel's sizes as constants.
template <class T, VolumeKind kind_, i32 radius_, measured::VolumeSizes sizes_>
struct VolumeShape {
  using Value = T;
  static constexpr VolumeKind kind = kind_;
  static constexpr bool box = kind == VolumeKind::box;
  static constexpr i32 fields = fields_of(kind);
  static constexpr i32 radius = radius_, span = 2 * radius + 1;
  static constexpr measured::VolumeSizes sizes = sizes_;
  static constexpr i32 levels = sizes.levels, lines = sizes.lines, lanes = sizes.lanes, slots = sizes.slots;
  static constexpr i32 cells = 16 / sizeof(T);  // of a line, a thread's: one chunk
  static constexpr i32 threads = 32 * sizes.warps;

  // The tile: its cells along the last and the middle axis, and those at a side that are not made.
  static constexpr i32 width = lanes * cells, height = threads / lanes * lines;
  static constexpr i32 depth = radius * levels;  // planes above and below a chunk that are read
  static constexpr i32 lines_halo = depth, cells_halo = (depth + cells - 1) / cells * cells;

  /// Planes by which a level is behind the level below it: a box's sum ends with neighbours of a later plane, which
  /// have to be exchanged first, all others with the cell itself.
  static constexpr i32 lag = box ? radius + 1 : radius;
  /// Planes by which the last level is behind the first plane that is read.
  static constexpr i32 delay = lag * (levels - 1) + radius;

  // Lines of a thread that those above and below it read: its first and last ones.
  static constexpr i32 edges = lines < 2 * radius ? lines : 2 * radius;
  // Shared memory, in chunks: planes from memory, then the edges of all levels twice.
  static constexpr i32 slot_chunks = fields * lines * threads, exchange_chunks = levels * edges * threads;
  static constexpr i32 exchange_at = slots * slot_chunks;
  static constexpr i32 shared_bytes = 16 * (exchange_at + 2 * exchange_chunks);

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
    if (axis.wraps != 0) return {at - halo, at, smaller(at + axis.stride, axis.extent)};
    // The last tile ends at the grid's end, and leaves out what the one before has.
    const bool is_last = number + 1 == axis.tiles;
    const i64 begin = is_last && number > 0 ? axis.extent - size : at;
    return {begin, number == 0 ? 0 : at + halo, is_last ? axis.extent : at + size - halo};
  }
  __device__ __forceinline__ bool is_useful(i64 index) const { return index >= useful_begin && index < useful_end; }

 private:
  static __device__ __forceinline__ i64 smaller(i64 a, i64 b) { return a < b ? a : b; }
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

/// True if a cell keeps its value because of the axis' ends.
__device__ __forceinline__ bool is_kept_on(const VolumeAxis& axis, i64 index, i32 radius) {
  return axis.wraps == 0 && (index < radius || index >= axis.extent - radius);
}

}  // namespace terrace::stencil
