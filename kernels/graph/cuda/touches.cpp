#include "kernels/graph/cuda/touches.hpp"

#include <algorithm>
#include <bit>

namespace terrace::graph {
namespace {

Touch touch_of(const RowsInMemory& memory, i64 columns, ElementType type) {
  const auto element = static_cast<i64>(size_of(type)), data = std::bit_cast<i64>(memory.data);
  Touch made;
  made.stride = memory.stride * element;
  made.bytes = columns * element;
  made.row_zero = data - memory.first * made.stride;
  made.memory = data;
  return made;
}

/// The rows that are read for those of a range that lie outside of the array, as far as they are held.
Range turned(Range rows, const RowReach& reach) {
  Range found;
  const auto add = [&](i64 row) {
    const i64 at = index_inside(row, reach.extent, reach.boundary);
    if (at == outside || at < reach.held.begin || at >= reach.held.end) return;
    found = found.size() == 0 ? Range{at, at + 1} : Range{std::min(found.begin, at), std::max(found.end, at + 1)};
  };
  for (i64 row = rows.begin; row < 0; ++row) add(row);
  for (i64 row = reach.extent; row < rows.end; ++row) add(row);
  return found;
}

}  // namespace

Touch touch_of_made(const RowsInMemory& memory, i64 columns, ElementType type) {
  Touch made = touch_of(memory, columns, type);
  made.writes = true;
  return made;
}

Touch touch_of_same(const RowsInMemory& memory, i64 columns, ElementType type) {
  return touch_of(memory, columns, type);
}

void add_touches(std::vector<Touch>& touches, const Pieces& pieces, const ReadArray& array, Range rows) {
  const Range reached = array.reach.of(rows);
  const Range inside{std::max<i64>(reached.begin, 0), std::min(reached.end, array.shape.rows)};
  const auto holds = [&](const Piece& piece) {
    return piece.rows.begin <= inside.begin && inside.end <= piece.rows.end;
  };
  // A warp whose moves are known reads fewer rows than the operator says: any of those that are there.
  const bool is_known = std::ranges::any_of(pieces, holds);
  for (const Piece& piece : pieces) {
    Touch touch = touch_of(piece.memory, array.shape.columns, array.type);
    touch.reach = array.reach;
    touch.reach.extent = array.shape.rows;
    touch.reach.held = piece.rows;
    if (!holds(piece)) {
      const Range read = is_known ? turned(reached, touch.reach) : piece.rows;
      if (read.size() == 0) continue;
      touch.reach = {.extent = array.shape.rows, .held = piece.rows, .always = read};
    }
    touches.push_back(touch);
  }
}

}  // namespace terrace::graph
