// The descriptor of one slab of an in-place pass.
//
// A pass makes `sweeps` sweeps at once. Its slabs are rows [k h, (k + 1) h) of the grid, from top to bottom; slab k
// does rows [k h - s, (k + 1) h - s) of sweep s = 1 ... sweeps, so that the row below a cell, after sweep s - 1, is
// always there; the first slab begins each sweep with row 0, the last ends it with the last row. A slab has more rows
// than its pass has sweeps, unless it is the only one.
//
// Rows are updated in place. After slab k, row (k + 1) h - 1 - s has been through s sweeps, for s = 0 ... sweeps, and
// the rows above through all of them; slab k + 1 continues from this state. A launch hands this state on beside the
// grid, and writes it into the rows where no later slab of the launch continues: after its last slab, and after a
// slab that is the last of a part, whose next slab another launch may take.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::in_place {

/// Pointers are to values of the sweep's type.
struct InPlaceTask {
  device::i64 row_begin, row_end;  // of the grid
  device::i64 sweeps;              // of the pass, at least 1
  void* rows;                      // [row_begin, row_end)
  void* above;                     // rows [above_begin, row_begin), at least sweeps + 1; null in the first slab
  device::i64 above_begin;
  device::i64 stride;    // values from row to row, in both
  device::i64 part_end;  // one past the last row of the part: slabs that follow one another in every launch
  // The slab before this one in the launch: its first row; not 0 if it was the last of a part.
  device::i64 begin_before, left_before;
};

/// The report of a slab, which has no values. A launch may report a slab that is not the last of a part only when the
/// next one has begun or the launch ends: until then its last rows may be in the launch's own memory.
struct InPlaceResult {
  device::u64 done;
};

}  // namespace terrace::in_place
