// The arguments of a launch that makes rows of a value of a graph on CUDA.
#pragma once

#include "kernels/graph/operator.hpp"
#include "kernels/graph/reductions/histogram.hpp"
#include "kernels/graph/reductions/positions.hpp"
#include "kernels/graph/reductions/reduce.hpp"
#include "kernels/graph/task.hpp"

namespace terrace::graph {

using device::u32;
using device::u64;

/// Inputs that are looked through for NaN.
inline constexpr int most_checked = 16;

/// Where the numbers of reductions are, of positions how many there are; null: it makes counts, or there is none.
struct Reduced {
  const double* numbers[most_numbers];
};

/// State that the kernels of a slab share, in device memory.
struct GraphState {
  u64 begun;              // 0: the launch was stopped, and the slab's kernels do nothing
  u64 usable;             // 0: also where an input has a NaN, and no node is made
  u64 nan[most_checked];  // of each input the first element that is NaN, as number_of_element(); all bits: none
};

inline constexpr int column_bits = 30;  // most_extent
TERRACE_HOST_DEVICE constexpr u64 number_of_element(i64 row, i64 column) {
  return static_cast<u64>(row) << column_bits | static_cast<u64>(column);
}

/// Rows of an array in device memory, of which the first one is row `first` of the array.
struct RowsInMemory {
  void* data;
  i64 first;
  i64 stride;  // elements from row to row

  template <class T>
  TERRACE_HOST_DEVICE T* row(i64 at) const {
    return static_cast<T*>(data) + (at - first) * stride;
  }
};

/// Rows outside of an operand that are read, at most, on each side.
inline constexpr int most_outside = most_radius + 1;

/// Some rows of a value: a node, an input as it is computed, or a kept node as it is stored. Any of its rows may be
/// made alone.
struct Work {
  GraphState* state;
  RowsInMemory made;
  RowsInMemory operands[most_operands];  // all rows inside of the operand that are read, and others
  Range rows;
  i64 columns;
  Shape operand;  // of all operands
  Area inner;     // the cells that read nothing outside of the operands
  Boundary boundary;
  double boundary_value;
  // The rows that are read for those above the first one of operand 0, from row -1 on, and below the last one; null:
  // the boundary's value.
  const void *above[most_outside], *below[most_outside];
  const void* numbers;  // Constants, in the type of values
  i32 row_radius, column_radius, axis, is_separable;
  Histogram bins;
  Positions positions;
  void* reduced;  // what a reduction has made of the rows above: a double, counts in u64, or positions
  i64 elements;   // of a list in `reduced`
  i32 is_first;   // not 0: there are no rows above
  i32 input;      // the number of an input that is loaded, and must have no NaN; else -1
};

}  // namespace terrace::graph
