// A part of a tile as a thread of the CPU computes it, and the functions that do.
#pragma once

#include <vector>

#include "kernels/dp_table/step_table.hpp"

namespace terrace::dp_table {

/// A step along the last dimension, of a group of steps with the same components in the dimensions before.
struct LineStep {
  i64 along;  // component of the last dimension
  i32 number;
  i64 whole_cost;
  double real_cost;
};

/// Steps that lead from a line, all cells along the last dimension, to the same other line.
struct LineGroup {
  Packed packed;  // of the dimensions before the last
  i64 offset;     // cells back to that line
  i64 rows;
  i32 source;
  i32 begin, end;  // its steps, by their components along the line if the table's steps are closed
  /// Groups that make this one needless in a line where they fit.
  std::vector<Packed> covers = {};
};

/// A table's steps by lines. If only one dimension is left in a tile, a line is one cell.
struct LineTable {
  explicit LineTable(const Table& table);

  StepTable steps;
  std::vector<i64> extents;  // of the dimensions from the one that is cut into rows on; at least two
  std::vector<i64> strides;
  std::vector<LineGroup> groups;
  LineGroup same{};  // the group of the steps along the line itself; none: begin == end
  std::vector<LineStep> line_steps;
  std::vector<i32> by_number;  // places of steps.entries, by their numbers in the job
  bool closed = false;         // true if a step is not needed where a longer one fits (closed_steps())
  i64 modulus = 0, cap = 0;

 private:
  void find_covers(const Table& table, bool single);
};

/// Work of a thread: a box of a tile.
struct PartWork {
  const LineTable* table;
  const TableTask* task;
  const i64* begin;  // of the box, in dimensions from the one that is cut into rows on, with indices of the table
  const i64* end;
  bool first_tile;  // true if the tile's prefix is all zeros
};

/// Computes the cells of a part. @return the first cell whose count leaves the type, by its index in the tile; -1:
/// none
using PartFunction = i64 (*)(const PartWork& work);

namespace sse2 {
PartFunction part_function(Combine combine, ElementType type, bool choice);
}
namespace avx2 {
PartFunction part_function(Combine combine, ElementType type, bool choice);
}
namespace avx512 {
PartFunction part_function(Combine combine, ElementType type, bool choice);
}

}  // namespace terrace::dp_table
