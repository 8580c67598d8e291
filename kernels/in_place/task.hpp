// The descriptor of one slab of an in-place pass. No host library header.
//
// A pass makes `sweeps` sweeps at once. Its slabs are rows [k h, (k + 1) h) of the grid, from top to bottom; slab k
// does rows [k h - s, (k + 1) h - s) of sweep s = 1 ... sweeps, so that the row below a cell, of the sweep before, is
// always there; the first slab begins each sweep with row 0, the last ends it with the last row. A slab is higher
// than its pass has sweeps, save where it is the only one. What a slab leaves for the next are its last rows, each as
// its latest sweep made it.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::wavefront {

/// Pointers are to values of the sweep's type; strides count values from row to row.
struct InPlaceTask {
  device::i64 row_begin, row_end;  // of the grid
  device::i64 sweeps;              // of the pass, at least 1
  const void* grid;                // rows [row_begin, row_end) before the pass
  device::i64 grid_stride;
  void* before;  // to write: rows [row_begin - sweeps, row_begin) after the pass; null in the first slab
  void* result;  // to write: rows [row_begin, row_end - sweeps) after the pass; up to row_end in the last slab
  device::i64 result_stride;
  const void* above;  // rows [row_begin - 1 - sweeps, row_begin), left by the slab above; null in the first slab
  void* below;        // to write: rows [row_end - 1 - sweeps, row_end), for the slab below; null in the last slab
  device::i64 carry_stride;
};

/// What a slab reports: nothing beside that it is done.
struct InPlaceResult {
  device::u64 done;
};

}  // namespace terrace::wavefront
