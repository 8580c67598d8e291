// The descriptor of a block of a stencil stage: a slab of a pass, or a small work around passes.
//
// A pass makes `steps` steps at once. The rows of a grid are its axis 0; a row has all cells of the other axes. A
// slab that is the only one of its stream makes them in place: its rows become those of level `steps`.
//
// Else the slabs of a stream follow one another from top to bottom, and each level of a slab lies `radius` rows above
// the level before: of level 0, the state before the pass, it takes rows [row_begin, row_end) from `fields`, and of
// level `steps` it leaves the rows radius * steps above these in `targets`, as far as the stream has them
// (rules/slabs.hpp). So a slab may be much lower than a pass is deep: the first slabs of a stream leave no rows, and
// the last ones take none. What the next slab needs is the 2 * radius last rows of each level. They are handed on in
// the carry, which has carry_rows() rows of each field. The kernel that writes a carry alone reads it.
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
  i32 first, last;  // not 0: the first and the last slab of a stream; both: its only one
  i32 whole;        // not 0: `fields` hold the whole grid: a periodic axis 0 is read modulo its extent
  i32 measures;     // not 0: the changes of the last step are asked for, of all slabs of the pass
  i32 counts;       // not 0, as `measures`: after the last step, cells that are not finite are counted
  i64 turn;         // number of the slab in its stream
  i64 step, steps;  // steps made before; steps of the pass
  /// Rows that a slab takes at level 0, as if the stream had rows without end; or rows to save or to count, changes
  /// to add up, times to record.
  i64 row_begin, row_end;
  i64 part_begin, part_end;  // rows that the stream leaves
  /// Rows that are there before; those of the only slab of a stream are updated in place.
  Rows fields[most_fields];
  /// Rows that are made. Of a slab that is not the only one, as many as [row_begin, row_end), also if it leaves none:
  /// levels in between are made there too.
  Rows targets[most_fields];
  void* carry[most_fields];  // null if the stream has one slab
  Rows arrays[most_arrays];  // constant: all rows that the slab reads at any level
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
