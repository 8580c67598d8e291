#include "kernels/graph/cuda/pieces.hpp"

#include <string>

#include "pipeline/base/error.hpp"

namespace terrace::graph {

const Piece& piece_with(const Pieces& pieces, Range rows) {
  for (const Piece& piece : pieces) {
    if (piece.rows.begin <= rows.begin && rows.end <= piece.rows.end) return piece;
  }
  throw DeviceError("graph", "rows " + std::to_string(rows.begin) + " to " + std::to_string(rows.end) +
                                 " of a value are not in its memory");
}

Pieces pieces_in(std::byte* memory, const Rows& rows, i64 columns, ElementType type) {
  Pieces made;
  for (const Range& range : rows.ranges()) {
    made.push_back({range, {memory, range.begin, columns}});
    memory += static_cast<std::size_t>(range.size() * columns) * size_of(type);
  }
  return made;
}

}  // namespace terrace::graph
