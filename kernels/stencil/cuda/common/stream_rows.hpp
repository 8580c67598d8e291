// The rows of a launch that makes several steps in two dimensions at once.
#pragma once

#include "kernels/stencil/cuda/common/chunks.hpp"
#include "kernels/stencil/cuda/common/lines.hpp"

namespace terrace::stencil {

/// The rows of a launch. @tparam Chunks its cut among thread blocks
template <class T, int fields, class Chunks = RowChunks>
struct StreamRows {
  Lines<T> from[fields], to[fields];
  RowRange rows;      // that are made
  i64 extent, width;  // of the grid
  Chunks chunks;
  i32 levels;         // to make, at most the kernel's levels times the launch's warps
  i32 wraps_rows;     // not 0: rows are read modulo the extent
  i32 keeps_rows;     // not 0: the rows within the radius of the grid's ends keep their values, or have faces
  i32 wraps_columns;  // not 0: columns are periodic; 0: the same holds for those within the radius of the ends
  i32 aligned;        // not 0: rows and tiles begin at multiples of 16 bytes

  /// The row that is read for one that may lie beyond the ends: modulo the extent if rows wrap.
  TERRACE_HOST_DEVICE i64 row_there(i64 row) const {
    if (wraps_rows != 0) {
      while (row < 0) row += extent;
      while (row >= extent) row -= extent;
    }
    return row;
  }
};

}  // namespace terrace::stencil
