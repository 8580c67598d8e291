// Rows of the values of a slab in device memory.
#pragma once

#include <vector>

#include "kernels/graph/cuda/work.hpp"
#include "kernels/graph/rows.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::graph {

/// Rows of a value in memory, without rows between them that are missing.
struct Piece {
  Range rows;
  RowsInMemory memory;
};
using Pieces = std::vector<Piece>;

/// The part of a value that has all of the rows. @throws DeviceError if none has
const Piece& piece_with(const Pieces& pieces, Range rows);

/// The rows of a set one after another in memory. @param type of the values
Pieces pieces_in(std::byte* memory, const Rows& rows, i64 columns, ElementType type);

}  // namespace terrace::graph
