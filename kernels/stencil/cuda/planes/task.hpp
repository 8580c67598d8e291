// The descriptor of a launch that streams planes through registers.
#pragma once

#include "kernels/stencil/cuda/common/chunks.hpp"
#include "kernels/stencil/cuda/common/lines.hpp"
#include "kernels/stencil/measured.hpp"

namespace terrace::stencil {

using device::u32;

/// The updates that stream planes: sums over a star or a box, cells in two parts, of operators with a number for
/// their quantity and of formulas that a job writes, and windows of planes, of all other formulas of a job.
enum class VolumeKind { star, box, parts, windows };

/// The facts of the cells of a sum, as a kernel needs them. Cells in two parts have them in their operator
/// (operator.hpp), or in the printed struct (cuda/written_source.cpp).
template <VolumeKind kind>
struct SumCell {
  static constexpr i32 fields = 1;
  static constexpr u32 near = 1;  // fields of which neighbours in the plane are read, a bit each
  static constexpr bool corners = kind == VolumeKind::box;  // also those that are along both axes
};

/// How many of the first fields have their bit.
TERRACE_HOST_DEVICE constexpr i32 fields_among(u32 bits, i32 first) {
  i32 count = 0;
  for (i32 f = 0; f < first; ++f) count += static_cast<i32>(bits >> f & 1);
  return count;
}

/// What follows from a kernel's sizes: its tile, the planes that it reads, and its shared memory.
struct VolumeFrame {
  measured::VolumeSizes sizes;
  i32 fields;
  i32 cells;    // of a line, a thread's: one chunk of 16 bytes
  i32 threads;  // of a thread block

  // The tile: its cells along the last and the middle axis, and those at a side that are not made.
  i32 width, height, cells_halo, lines_halo;
  i32 depth;  // planes above and below a chunk that are read
  i32 lag;    // planes by which a level is behind the level below it
  i32 delay;  // planes by which the last level is behind the first plane that is read

  i32 edges;  // lines of a thread that those above and below it read: its first and last ones
  // Shared memory, in chunks: planes from memory, then the edges of all levels twice.
  i32 slot_chunks, exchange_chunks, exchange_at, shared_bytes;
};

/// @param near fields of which neighbours in the plane are read
/// @param late true if a plane is complete only when neighbours of a later one have been exchanged
/// @param bytes of a value
constexpr VolumeFrame volume_frame(const measured::VolumeSizes& sizes, i32 fields, i32 near, i32 radius, bool late,
                                   i32 bytes) {
  VolumeFrame frame{};
  frame.sizes = sizes;
  frame.fields = fields;
  frame.cells = 16 / bytes;
  frame.threads = 32 * sizes.warps;
  frame.width = sizes.lanes * frame.cells;
  frame.height = frame.threads / sizes.lanes * sizes.lines;
  frame.depth = radius * sizes.levels;
  frame.lines_halo = frame.depth;
  frame.cells_halo = (frame.depth + frame.cells - 1) / frame.cells * frame.cells;
  frame.lag = late ? radius + 1 : radius;
  frame.delay = frame.lag * (sizes.levels - 1) + radius;
  frame.edges = sizes.lines < 2 * radius ? sizes.lines : 2 * radius;
  frame.slot_chunks = fields * sizes.lines * frame.threads;
  frame.exchange_chunks = sizes.levels * near * frame.edges * frame.threads;
  frame.exchange_at = sizes.slots * frame.slot_chunks;
  frame.shared_bytes = 16 * (frame.exchange_at + 2 * frame.exchange_chunks);
  return frame;
}

/// An axis of a plane, cut into tiles.
struct VolumeAxis {
  i64 extent;  // of the grid
  i32 tiles;   // along the axis
  i32 stride;  // cells from one tile's begin to the next one's
  i32 wraps;   // not 0: periodic; 0: cells within the radius of the ends keep their values, or have faces
};

/// The operands of sums, their coefficients in the order of the terms, and of cells in two parts, their factor.
template <class T>
using VolumeOperands = T[125];

/// Some levels of an update in three dimensions. A plane is a row of the grid: the cells of one index along axis 0.
/// Thread blocks take tiles of chunks of planes.
template <class T, i32 fields = 2, class Operands = VolumeOperands<T>>
struct VolumeTask {
  static constexpr i32 most_fields = fields;

  Operands operands;
  Lines<T> from[fields], to[fields];
  RowRange rows;            // planes that are made
  i64 extent, width;        // planes of the grid; cells of a plane
  RowChunks chunks;         // of planes
  VolumeAxis middle, last;  // axes 1 and 2
  i32 levels;               // to make, at most the kernel's
  i32 wraps_rows;           // not 0: planes are read modulo the extent
  i32 keeps_rows;           // not 0: the planes within the radius of the grid's ends keep their values, or have faces
};

}  // namespace terrace::stencil
