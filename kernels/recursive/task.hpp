// The descriptor of one block: an update of one tile.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::recursive {

/// Which of its factors a tile x(i, j) is itself, as in the paper (Ramachandran and Sivaraman 2017,
/// section 5.2).
enum class Function : device::i32 {
  a,       // x = u = v: the tile of the pivots, i = j = k
  b,       // x = v: the pivots' rows, i = k
  c,       // x = u: the pivots' columns, j = k
  d,       // neither
  inspect  // nothing is updated: x is null, and the input is looked at
};

/// Pointers are to values of the table's type; strides count values from row to row. In a table of bits values are
/// words of 32 cells, `rows` and `depth` count cells, and `columns` words. In a table of counts, which only
/// Function::d updates, x and the input are counts, u and v such words, and `columns` counts cells.
struct TileTask {
  device::i64 rows, columns, depth;  // x: rows x columns, u: rows x depth, v: depth x columns
  device::i64 first_pivot;           // k of the first column of u and the first row of v
  Function function;
  device::i32 last;     // not 0: no other update of x follows
  device::i32 clamped;  // not 0: with the last update, values from half of the algebra's infinity on become that
  device::i32 empty;    // not 0: x begins as the algebra's zero
  void* x;
  device::i64 x_stride;
  const void* u;  // null if it is x
  device::i64 u_stride;
  const void* v;  // null if it is x
  device::i64 v_stride;
  const void* input;  // the initial x; null: its current values
  device::i64 input_stride;
  // Tables with trails: the trails of x, u and v, with the same strides.
  void* x_trail;
  const void* u_trail;  // null if u is x
  const void* v_trail;  // null if v is x
  // The place to which the last update writes the next nodes of paths, or the cells of a table of bits.
  void* output;
  device::i64 output_columns, output_stride;
  device::i64 first_row, first_column;  // of x in the table
  device::i32 loops;                    // not 0: the diagonal of the input holds edges, too
};

/// The result of a block. Values of integer types are in `whole`, others in `real`.
struct TileResult {
  struct Extremes {
    device::i64 whole;
    double real;
  };
  device::i64 found;           // bits: 1: input has finite values, 2: x has finite values after its last update
  Extremes least, most;        // of the finite values of the input
  Extremes farthest;           // the largest finite value of x after its last update
  device::i64 negative_pivot;  // a k with x(k, k) < 0, or in an elimination one that is of no use, or -1
};

}  // namespace terrace::recursive
