// The way of a path back through a table: the code that is kept of a cell, the walk over these codes, and the task
// and the result of a walk through a box.
//
// A path of a problem on values goes through pairs of values in the same way; each step consumes the pair that it
// comes from.
//
// A path is at (row, column), letters consumed, so next to cell (row - 1, column - 1). It goes diagonally if H came
// from there, else up if it came from above, else left. In an affine gap it stays on the plane of the gap until the
// cell that opened it; if a gap may as well be opened as extended, it was opened.
#pragma once

#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

using device::i32;
using device::u32;
using device::u8;

/// A step of a path, as it consumes letters (or values): one of each side, of the rows alone, of the columns alone.
/// Steps that consume a value of each side are all matches.
enum class PathStep : u8 { match, mismatch, row, column };

/// The gap that a path is in.
enum class PathGap : i32 { none, row, column };

/// The place of a path on its way back.
struct PathPlace {
  i64 row, column;  // letters consumed
  PathGap gap;      // the path came here through that gap, which may continue
  i32 ended;        // not 0: a local alignment starts here
};

/// A box of the table to walk through, or to sweep for the borders that are kept inside: rows [row_begin, row_end) by
/// columns [column_begin, column_end), with borders kept below every cell_rows rows and right of every cell_columns
/// columns of it, counted from its beginning. Borders are as in BlockTask; a column border inside the box consists of
/// pieces of block_rows rows (a multiple of cell_rows), each after its corner.
struct TraceTask {
  i64 row_begin, row_end, column_begin, column_end;
  i64 cell_rows, cell_columns, block_rows;
  const void* rows;            // letters (u8) or values of the box's rows
  const void* columns;         // letters (u8) or values of the box's columns
  const void* top;             // row border above the box; null: the recurrence's own (row_begin is 0)
  const void* left;            // column border before the box; null: the recurrence's own (column_begin is 0)
  const void* row_borders;     // kept inside the box
  const void* column_borders;  // the same of columns
  i64 row_borders_stride;      // elements from one of them to the next
  i64 column_borders_stride;
  i64 row_border_stride;     // elements from plane to plane of every row border
  i64 column_border_stride;  // elements from plane to plane of every column border
  PathPlace place;           // in the box, or at its end
};

/// Steps that one result holds.
inline constexpr i64 most_path_steps = 31744;

/// The result of a walk: steps from the later to the earlier, two bits each, the first in the lowest bits; and its
/// end: outside the box, at the start of a local alignment, or the step that filled the result. A walk may also end
/// where it leaves a piece, and then has to be continued.
struct TraceResult {
  PathPlace place;
  i64 count;
  u32 steps[most_path_steps / 16];

  TERRACE_HOST_DEVICE bool full() const { return count == most_path_steps; }
  TERRACE_HOST_DEVICE PathStep step(i64 index) const {
    return static_cast<PathStep>(steps[index / 16] >> (2 * (index % 16)) & 3u);
  }
  TERRACE_HOST_DEVICE void add(PathStep step) {
    const u32 shifted = static_cast<u32>(step) << (2 * (count % 16));
    steps[count / 16] = count % 16 == 0 ? shifted : steps[count / 16] | shifted;
    ++count;
  }
};

/// True if the path of an alignment ends where H falls to 0.
template <class P>
inline constexpr bool is_local = P::report == Report::best;

/// Steps that paths may omit at their start: `rows`: through rows before the first column; `columns` vice versa.
struct FreeStart {
  bool rows, columns;
};
template <class P, class V>
TERRACE_HOST_DEVICE constexpr FreeStart free_start(const typename P::template Constants<V>& k) {
  if constexpr (P::report == Report::ends) {
    const Ends ends = P::template ends<V>(k);  // an end that is free is also free as a start
    return {ends.last_column, ends.last_row};
  } else {
    (void)k;
    return {is_local<P>, is_local<P>};
  }
}

/// True if a problem's paths can be followed.
template <class P>
concept Traceable = requires(const typename P::template Constants<i64>& k) {
  P::gap_opened(k, i64(0), i64(0));
};

/// H after a diagonal step.
template <class P, class V>
TERRACE_HOST_DEVICE constexpr V paired(const typename P::template Constants<V>& k, V h, V s) {
  if constexpr (requires { P::template paired<V>(k, h, s); }) return P::template paired<V>(k, h, s);
  else return add(h, s);
}

/// The code of a cell: the origin of H(i, j), and flags that E(i, j+1) and F(i+1, j) were opened here.
struct TraceCode {
  static constexpr u32 end = 0, diagonal = 1, up = 2, left = 3, from = 3;
  static constexpr u32 opens_down = 4, opens_right = 8;
};

/// The code of a cell that P::cell computed.
template <class P, class V>
TERRACE_HOST_DEVICE constexpr u32 trace_code(const typename P::template Constants<V>& k, const Around<V>& n, V s,
                                             const Cell<V>& cell) {
  const bool from_up = P::row_planes == 2 ? cell.h == n.f : cell.h == P::template gap_opened<V>(k, n.up, s);
  u32 code = from_up ? TraceCode::up : TraceCode::left;
  code = cell.h == paired<P, V>(k, n.diagonal, s) ? TraceCode::diagonal : code;
  if constexpr (is_local<P>) code = cell.h > V(0) ? code : TraceCode::end;
  if constexpr (P::row_planes == 2) {
    code |= cell.f == P::template gap_opened<V>(k, cell.h, s) ? TraceCode::opens_down : 0u;
  }
  if constexpr (P::column_planes == 2) {
    code |= cell.e == P::template gap_opened<V>(k, cell.h, s) ? TraceCode::opens_right : 0u;
  }
  return code;
}

/// Walks until the path leaves the cells from (row_begin, column_begin) on, ends, or the result is full.
/// @param code_at(row, column) the code of a cell; @param equal_at(row, column) whether its letters are equal, or it
/// is a pair of values
template <class P, class CodeAt, class EqualAt>
TERRACE_HOST_DEVICE void walk_path(i64 row_begin, i64 column_begin, PathPlace& place, TraceResult& result,
                                   CodeAt&& code_at, EqualAt&& equal_at) {
  while (place.row > row_begin && place.column > column_begin && !place.ended && !result.full()) {
    const i64 row = place.row - 1, column = place.column - 1;
    const u32 code = code_at(row, column);
    u32 from = code & TraceCode::from;
    if (place.gap == PathGap::row) from = code & TraceCode::opens_down ? from : TraceCode::up;
    if (place.gap == PathGap::column) from = code & TraceCode::opens_right ? from : TraceCode::left;
    if (from == TraceCode::end) {
      place.ended = 1;
    } else if (from == TraceCode::diagonal) {
      result.add(equal_at(row, column) ? PathStep::match : PathStep::mismatch);
      place = {row, column, PathGap::none, 0};
    } else if (from == TraceCode::up) {
      result.add(PathStep::row);
      place = {row, place.column, P::row_planes == 2 ? PathGap::row : PathGap::none, 0};
    } else {
      result.add(PathStep::column);
      place = {place.row, column, P::column_planes == 2 ? PathGap::column : PathGap::none, 0};
    }
  }
}

/// The beginning of the piece of a box that a path is in: a kept border, or the box's own.
struct TracePiece {
  i64 row, column;
};
template <class Task>
TERRACE_HOST_DEVICE constexpr TracePiece trace_piece(const Task& task, const PathPlace& place) {
  return {task.row_begin + (place.row - 1 - task.row_begin) / task.cell_rows * task.cell_rows,
          task.column_begin + (place.column - 1 - task.column_begin) / task.cell_columns * task.cell_columns};
}

/// Element 0 of a border; base null: the recurrence's own border.
struct BorderPlace {
  const void* base;
  i64 offset;
};

/// The row border above a piece; its element 0 belongs to the piece's first column.
TERRACE_HOST_DEVICE constexpr BorderPlace border_above(const TraceTask& task, const TracePiece& piece) {
  const i64 column = piece.column - task.column_begin, kept = (piece.row - task.row_begin) / task.cell_rows;
  if (kept == 0) return {task.top, column};
  return {task.row_borders, (kept - 1) * task.row_borders_stride + column};
}

/// The column border before a piece; its element 0 is the corner, element 1 belongs to the piece's first row.
TERRACE_HOST_DEVICE constexpr BorderPlace border_before(const TraceTask& task, const TracePiece& piece) {
  const i64 row = piece.row - task.row_begin, kept = (piece.column - task.column_begin) / task.cell_columns;
  if (kept == 0) return {task.left, row};
  return {task.column_borders, (kept - 1) * task.column_borders_stride + row + row / task.block_rows};
}

}  // namespace terrace::wavefront
