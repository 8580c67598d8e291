// The descriptor and the result of one block of a wavefront table.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"
#include "kernels/wavefront/keys.hpp"

namespace terrace::wavefront {

/// Rows [row_begin, row_end) by columns [column_begin, column_end) of the table.
///
/// Border values are planes of the sweep's border type. Plane 0 holds H. Plane 1, if the problem has one
/// (P::row_planes, P::column_planes), holds the values handed on (problem.hpp): F(i, j) in the row border above row
/// i, E(i, j) in the column border before column j. A row border has one value per column of the block. A column
/// border has one value per row and, before them at index 0, H of the corner (row_begin - 1, column_begin - 1): rows
/// + 1 values; index 0 of plane 1 is neither read nor written.
struct BlockTask {
  device::i64 row_begin, row_end, column_begin, column_end;
  const void* rows;                  // letters (u8) or values of the block's rows, the first is row_begin's
  const void* columns;               // letters (u8) or values of the block's columns
  const void* grid;                  // the block's part of the grid, row-major
  device::i64 grid_stride;           // elements from one row of `grid` to the next
  const void* top;                   // row border above the block; null: the recurrence's own (row_begin is 0)
  void* bottom;                      // row border to write, or several (SweepSpec); null: nobody needs it
  const void* left;                  // column border before the block; null: the recurrence's own (column_begin is 0)
  void* right;                       // column border to write, or several; null: nobody needs it
  device::i64 row_border_stride;     // elements from plane to plane of top and bottom
  device::i64 column_border_stride;  // elements from plane to plane of left and right
  void* table;                       // the block's part of the table, row-major; null: not kept
  device::i64 table_stride;          // elements from one row of `table` to the next
  KeyRange keys;                     // problems that count: of the values of the grid that count as 1
};

/// The descriptor of a block of a sweep that keeps lines (kept.hpp). Blocks begin at multiples of `every`, or lie
/// between two of them. The kept rows that end in it, and the columns, one after another: H, and plane 1 of their
/// borders. Null: not kept.
/// For a sweep that keeps lines in differences (bit_lines.hpp): only `rows` and `columns`, in words, and strides from
/// plane to plane and from the last plane of a line to the next line.
struct KeptTask {
  BlockTask block;
  void *rows, *row_gaps;
  void *columns, *column_gaps;
  device::i64 row_stride, column_stride;  // elements from one kept row (column) to the next
};

/// The result of a block: the best of the cells that P::report names (ties: smallest row, then smallest column; all 0
/// if there is none), or its last cell. Row and column are those of the table, plus one: letters consumed. For
/// floating-point cells `score` is reported() of the value.
struct BlockResult {
  device::i64 score;
  device::i64 row, column;
};

/// True if a is reported rather than b: it is larger, or in a smaller row, or in a smaller column.
TERRACE_HOST_DEVICE constexpr bool goes_before(const BlockResult& a, const BlockResult& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

}  // namespace terrace::wavefront
