// One step that the cells of a tile take, on the CPU.
#pragma once

#include "kernels/dp_table/task.hpp"

namespace terrace::dp_table {

/// A dimension of a tile, and the step's component there. Dimension 0 is cut into rows.
struct PassDimension {
  i64 extent, stride, component;
};

/// The step of a pass over a tile. A cell takes the value of the cell to which the step leads, as this one is after
/// it took the step itself.
struct PassWork {
  void* cells;         // of the tile
  const void* before;  // where the rows end that are before that row; null: the step leads to none
  /// The beginning of the rows to which the step leads, from the tile's first row on: the tile's own cells if it
  /// leads to the tile's prefix; null: it leads to none.
  const void* source;
  PassDimension dimensions[most_dimensions];
  i32 rank;
  i64 first_row;  // of the tile, in the table
  i64 offset;     // cells back, in row-major rows
  i64 modulus;    // 0: none
};

/// A part of a pass: a box of the tile, of PassWork::rank dimensions.
struct PassBox {
  i64 begin[most_dimensions], end[most_dimensions];
};

/// The cells of the box take the step, in row-major order. @return the first cell whose count leaves the type, by its
/// index in the tile; -1: none
using PassFunction = i64 (*)(const PassWork& work, const PassBox& box);

}  // namespace terrace::dp_table
