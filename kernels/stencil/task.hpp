// The descriptor of a block of a stencil stage: a slab of a pass, or a small work around passes.
//
// A pass makes `steps` steps at once. The rows of a grid are its axis 0; a row has all cells of the other axes. The
// slabs of a pass follow one another from top to bottom. A slab takes rows [row_begin, row_end) at level 0, the state
// before the pass, and leaves rows of level `steps` (rules/slabs.hpp). Level s of a slab ends s * radius rows above
// its last row, unless the slab is the last one; so the rows that a level needs below it are there.
//
// Rows are updated in place: a row's place holds its newest level. What the next slab needs in addition, the 2 *
// radius last rows of each level, is handed on in the carry, which has carry_rows() rows of each field. The kernel
// that writes a carry alone reads it.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"
#include "kernels/stencil/finite.hpp"
#include "kernels/stencil/operator.hpp"

namespace terrace::stencil {

/// Rows in memory as pieces one after another; a piece has its rows contiguous.
struct Rows {
  static constexpr int most_pieces = 6;

  i32 pieces;
  i64 end;                 // one past the last row
  i64 begin[most_pieces];  // first row of a piece
  void* data[most_pieces];

  /// The first value of a row, begin[0] <= row < end. @param width values of a row
  template <class T>
  TERRACE_HOST_DEVICE T* row(i64 index, i64 width) const {
    i32 piece = pieces - 1;
    while (piece > 0 && begin[piece] > index) --piece;
    return static_cast<T*>(data[piece]) + (index - begin[piece]) * width;
  }
};

enum class Work : i32 {
  advance,  // a slab of a pass
  save,     // copies the rows of `fields` to `targets`
  record,   // brings the values of receivers from the `traces` of all parts to `targets`
  count,    // counts the cells of the rows of `fields` that are not finite
  total     // adds up the changes of rows
};

/// Rows are counted from the grid's first; on a periodic axis 0 also below 0 and from the grid's extent on.
struct StencilTask {
  Work work;
  i32 first, last;           // not 0: the first and the last slab of a stream
  i32 whole;                 // not 0: `fields` hold the whole grid: a periodic axis 0 is read modulo its extent
  i32 measures;              // not 0: the changes of the last step are asked for, of all slabs of the pass
  i32 counts;                // not 0, as `measures`: after the last step, cells that are not finite are counted
  i64 turn;                  // number of the slab in its stream
  i64 step, steps;           // steps made before; steps of the pass
  i64 row_begin, row_end;    // rows that come in, or rows to save or to count, changes to add up, times to record
  i64 part_begin, part_end;  // rows that the stream leaves
  Rows fields[most_fields];
  Rows targets[most_fields];
  void* carry[most_fields];  // null if the stream has one slab
  Rows arrays[most_arrays];  // constant; also the rows of the slab above, unless the slab is the first
  Rows changes;              // of rows, f64, one value a row
  /// Values of receivers, times x receivers. Of a slab those of its part from the first time after `step` on, of
  /// which it writes those that it makes; of Work::record those of all parts, one after another, of the times of the
  /// task, which are rows of `targets`.
  void* traces;
};

/// The report of a block.
struct StencilResult {
  double total = 0;  // of the changes
  NotFinite not_finite;
};

}  // namespace terrace::stencil
