// The memory that steps of a slab touch, as tiling wants to know it.
#pragma once

#include <vector>

#include "kernels/graph/cuda/pieces.hpp"
#include "kernels/graph/tiling/touch.hpp"

namespace terrace::graph {

/// Rows in memory that are written. @param columns of a row
Touch touch_of_made(const RowsInMemory& memory, i64 columns, ElementType type);

/// Rows in memory of which those of the same number are read.
Touch touch_of_same(const RowsInMemory& memory, i64 columns, ElementType type);

/// An array that is read. The extent and the rows that are held follow.
struct ReadArray {
  Shape shape;
  ElementType type;
  RowReach reach;
};

/// Adds the pieces of an array that rows read: the one that has all rows inside of the array, and others that have
/// rows which stand for some outside.
void add_touches(std::vector<Touch>& touches, const Pieces& pieces, const ReadArray& array, Range rows);

}  // namespace terrace::graph
