// A part of a tile as a thread of the CPU computes it, and the functions that do.
#pragma once

#include <vector>

#include "kernels/dp_table/cpu/pass.hpp"
#include "kernels/dp_table/step_table.hpp"

namespace terrace::dp_table {

/// A step as the cells of a run take it, from another run.
struct RunStep {
  Packed packed;  // components of the dimensions before the run's
  Packed cover;   // bits of these dimensions in which one more is a step, too: where it fits, this one is needless
  i64 back;       // cells back, in row-major rows
  i64 rows;       // component of the dimension that is cut into rows
  i64 first;      // the first cell of a full run that may take it
  i64 last;       // beyond the last cell that needs it
  i64 mask;       // where the run's masks have its own; -1: all cells from `first` on may take it
  i32 source;
  i32 number;  // in the job
  i64 whole_cost;
  double real_cost;
};

/// The runs of a dimension: the cells with the same indices of all dimensions before it. They are adjacent.
struct RunTable {
  i64 cells;                   // of a full run
  std::vector<RunStep> steps;  // that lead to other runs
  std::size_t inner = 0;       // from here on to runs that differ in the index of one dimension before alone
  /// For each cell of a full run a value of the table's type: all bits set if the cell may not take the step, else 0.
  std::vector<unsigned char> masks;
};

/// A step along the last dimension.
struct LineStep {
  i64 along;  // its component
  i32 number;
  i64 whole_cost;
  double real_cost;
};

/// A table's steps by runs. If only one dimension is left in a tile, a line, a run of the last dimension, is one
/// cell.
struct PartTable {
  explicit PartTable(const Table& table);

  StepTable steps;
  std::vector<i64> extents;  // of the dimensions from the one that is cut into rows on; at least two
  std::vector<i64> strides;
  int first = 0;               // the first dimension whose runs are made as wholes
  std::vector<RunTable> runs;  // of the dimensions from `first` on
  std::vector<LineStep> line;  // steps along the line itself, rising
  std::vector<i32> by_number;  // places of steps.entries, by their numbers in the job
  bool closed = false;         // true if a step is not needed where a longer one fits (closed_steps())
  i64 modulus = 0, cap = 0;

  const RunTable& runs_of(int dimension) const { return runs[static_cast<std::size_t>(dimension - first)]; }
};

/// Work of a thread: a box of a tile.
struct PartWork {
  const PartTable* table;
  const TableTask* task;
  const i64* begin;  // of the box, in dimensions from the one that is cut into rows on, with indices of the table
  const i64* end;
  bool first_tile;  // true if the tile's prefix is all zeros
};

/// Computes the cells of a part. @return the first cell whose count leaves the type, by its index in the tile; -1:
/// none
using PartFunction = i64 (*)(const PartWork& work);

/// The first of the largest of some values. @param cells of the type for which it was made @return its index
using LargestFunction = i64 (*)(const void* cells, i64 count);

// A null function: there is none for the combine and type.
namespace sse2 {
PartFunction part_function(Combine combine, ElementType type, bool choice);
PassFunction pass_function(Combine combine, ElementType type);
LargestFunction largest_function(Combine combine, ElementType type);
}  // namespace sse2
namespace avx2 {
PartFunction part_function(Combine combine, ElementType type, bool choice);
PassFunction pass_function(Combine combine, ElementType type);
LargestFunction largest_function(Combine combine, ElementType type);
}  // namespace avx2
namespace avx512 {
PartFunction part_function(Combine combine, ElementType type, bool choice);
PassFunction pass_function(Combine combine, ElementType type);
LargestFunction largest_function(Combine combine, ElementType type);
}  // namespace avx512

}  // namespace terrace::dp_table
