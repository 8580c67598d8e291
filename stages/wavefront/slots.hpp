// Filling descriptors of wavefront kernels: the names of a block's accesses, and its cells.
#pragma once

#include "kernels/wavefront/task.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/run/access.hpp"

namespace terrace::stages {

enum class WavefrontSlot {
  rows,     // letters or values of the block's rows
  columns,  // the same of its columns
  grid,
  top,  // borders that the block begins with, and borders that it writes
  bottom,
  left,
  right,
  table,
  table_layer,  // of a table of several layers
  kept_rows,
  kept_row_gaps,
  kept_columns,
  kept_column_gaps,
  row_lines,  // kept in differences
  column_lines,
  row_borders,  // kept inside a box
  column_borders,
  above,  // the last lines that the blocks above and before have kept in differences
  before,
};

/// Puts rows and columns of the table into a descriptor.
template <class Task>
void set_cells(const Box& cells, Task& task) {
  task.row_begin = cells.begin[0];
  task.row_end = cells.end[0];
  task.column_begin = cells.begin[1];
  task.column_end = cells.end[1];
}

/// Puts the accesses of a block of a sweep into its descriptor.
void bind_sweep(const run::BlockView& view, wavefront::KeptTask& task);

}  // namespace terrace::stages
