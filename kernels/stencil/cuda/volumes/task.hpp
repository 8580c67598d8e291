// The descriptor of a launch that streams planes through registers.
#pragma once

#include "kernels/stencil/cuda/blocks/lines.hpp"
#include "kernels/stencil/cuda/chunks.hpp"
#include "kernels/stencil/measured.hpp"

namespace terrace::stencil {

/// The updates that stream planes: sums over a star or a box, heat3d and wave3d with a number for their quantity.
enum class VolumeKind { star, box, heat, wave };

/// Fields of a kind.
constexpr i32 fields_of(VolumeKind kind) { return kind == VolumeKind::wave ? 2 : 1; }

/// The sizes of a kind's kernel. @param bytes of a value
constexpr measured::VolumeSizes volume_sizes(VolumeKind kind, i32 radius, i32 bytes) {
  return kind == VolumeKind::heat   ? measured::CudaVolume::heat_sizes(bytes)
         : kind == VolumeKind::wave ? measured::CudaVolume::wave_sizes()
                                    : measured::CudaVolume::sizes(kind == VolumeKind::box, radius, bytes);
}

/// An axis of a plane, cut into tiles.
struct VolumeAxis {
  i64 extent;  // of the grid
  i32 tiles;   // along the axis
  i32 stride;  // cells from one tile's begin to the next one's
  i32 wraps;   // not 0: periodic; 0: cells within the radius of the ends keep their values
};

/// Some levels of an update in three dimensions. A plane is a row of the grid: the cells of one index along axis 0.
/// Thread blocks take tiles of chunks of planes.
template <class T>
struct VolumeTask {
  static constexpr i32 most_terms = 125, most_fields = 2;

  T operands[most_terms];  // coefficients in the order of the terms; the factor of the Laplacian
  Lines<T> from[most_fields], to[most_fields];
  RowRange rows;            // planes that are made
  i64 extent, width;        // planes of the grid; cells of a plane
  RowChunks chunks;         // of planes
  VolumeAxis middle, last;  // axes 1 and 2
  i32 levels;               // to make, at most the kernel's
  i32 wraps_rows;           // not 0: planes are read modulo the extent
  i32 keeps_rows;           // not 0: the planes within the radius of the grid's ends keep their values
};

}  // namespace terrace::stencil
