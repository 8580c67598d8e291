// The sizes that sub-passes of stencils on the CPU are cut into. Results do not depend on them.
#pragma once

#include <vector>

#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// The cut of a sub-pass: `depth` steps over tiles of `height` by `width` cells of axes 1 and 2.
struct TileSizes {
  i64 depth;
  i64 height, width;
  i64 block;  // rows that are made at once: along axis 0 in grids of two dimensions, along axis 1 in grids of three

  /// Rows of the ring of a level.
  i64 ring_rows(i64 radius, int rank) const { return 2 * radius + (rank == 2 ? block : 1); }

  /// Cells of a tile and its halo along axes 1 and 2; rows begin at multiples of 16 cells.
  i64 halo_height(i64 middle) const { return height + 2 * depth * middle; }
  i64 pitch(i64 radius) const { return (width + 2 * depth * radius + 31) / 16 * 16 + 16; }
};

/// Steps that are made at a time, where the rows of a slab allow it.
i64 cpu_depth(const StencilSpec& spec);

/// The sizes for a stencil. @param is_compiled its formulas are
TileSizes tile_sizes(const StencilSpec& spec, bool is_compiled);

/// The steps of the sub-passes of a pass: an even number of sub-passes if there is more than one step, so that rows
/// end where they began.
/// @param last_alone true: the last sub-pass has one step
std::vector<i64> sub_passes(i64 steps, i64 depth, bool last_alone);

/// The number of a stencil's formula in Formulas.
int formula_of(const StencilSpec& spec);

}  // namespace terrace::stencil
