// The descriptor of one block of a triangle of tiles.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::recursive {

/// Work of a block on tile x of rows [row, row + rows) and columns [column, column + columns), in nodes.
enum class IntervalStep : device::i32 {
  multiply,     // all splits that lie in [first_split, first_split + depth): x <- x + u * v
  close,        // the splits that lie in x's own rows and columns, and the final terms: x is complete
  diagonal,     // all of a tile on the diagonal
  below,        // nothing is computed: a tile below the diagonal becomes zeros, and no splits
  begin_trace,  // nothing is split yet: the whole is the only interval
  trace,        // splits all intervals that begin in x's rows and end in its columns
  report        // returns the counts of `trace` for nodes [row, row + rows)
};

/// Pointers are to values of the table's type, splits to i32; strides count elements from row to row.
struct IntervalTask {
  device::i64 rows, columns, depth;  // x: rows x columns, u: rows x depth, v: depth x columns
  device::i64 row, column, first_split;
  IntervalStep step;
  device::i32 empty;  // not 0: x begins as the algebra's zero
  device::i32 top;    // not 0: the last value of x's first row is the value of all items
  device::i32 wobble;
  device::i32 pairs;  // trace: not 0: brackets only for pairs, which are splits at an interval's first node
  device::i64 least_inside;
  device::i64 nodes;
  void* x;
  device::i64 x_stride;
  device::i32* split;  // null: splits are not asked for
  device::i64 split_stride;
  const void* u;  // close: the tile on the diagonal in x's rows
  device::i64 u_stride;
  const void* v;  // close: the tile on the diagonal in x's columns
  device::i64 v_stride;
  const void* under;   // close, if the rule looks inside: the row below x
  const void* beside;  // the column on the left of x
  device::i64 beside_stride;
  const void* corner;  // the value below that column; null if x's last row and first column are neighbours
  const void* terms;   // three rows of `nodes` values: first, second, leaf of NodeTerms
  device::i32* trace;  // three rows of `nodes`: where the interval that begins at a node ends, and how many brackets
                       // open before and close behind the item that begins there; report: the second row's part
};

/// Most nodes of one report.
inline constexpr device::i64 reported_nodes = 64;

/// True if a walk may split the items [i, j) at k: inside, or, if items pair, at i, which pairs the first with the
/// last. Other splits come from a damaged table, and would lead out of it or nowhere.
TERRACE_HOST_DEVICE constexpr bool is_split(device::i32 i, device::i32 j, device::i32 k, device::i32 pairs) {
  return k < j && (k > i || (k == i && pairs != 0));
}

/// The result of a block.
struct IntervalResult {
  device::i64 lost;   // trace: 0, or one more than the first node of an interval with an invalid split
  device::i64 whole;  // the value of all items, if x holds it: of integer types
  double real;        // of others
  device::i32 opens[reported_nodes], closes[reported_nodes];
};

}  // namespace terrace::recursive
