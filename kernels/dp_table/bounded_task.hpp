// The descriptor and the result of a block of a table whose steps are bounded, and its passes.
#pragma once

#include "kernels/dp_table/task.hpp"

namespace terrace::dp_table {

inline constexpr i32 most_bounded_dimensions = 3;
inline constexpr i64 most_bounded_passes = 1024;  // of a block

/// A step, taken together `times` times by each cell where it fits, or not: cells take the values where it leads, as
/// these are before the pass. Cells are stored as *elements* in row-major order: a cell each, or for Combine::any the
/// bits of 64 cells of a line. Adjacent dimensions in which a pass leads nowhere are one.
struct BoundedPass {
  i64 extent[most_bounded_dimensions];     // elements of each of its dimensions
  i64 component[most_bounded_dimensions];  // elements back in each
  i32 rank;
  i32 step;        // its number in the job
  i64 times;       // how often it is taken
  i64 offset;      // elements back in all
  i64 reach;       // the elements before an element that it reads
  i64 bits;        // of Combine::any: bits back in addition, below 64
  i64 whole_cost;  // of all times together
  double real_cost;
  i64 sign;  // of counts: 1: values are added; -1: subtracted
};

/// The work of a block.
enum class BoundedWork : i64 {
  begin,    // makes the elements as they are before the first pass
  passes,   // its elements take some passes
  table,    // makes cells of the table from elements
  walk,     // goes back through some passes from a cell
  save,     // copies its elements to those that are stored
  restore,  // copies elements that are stored to its own
};

struct BoundedTask {
  i64 work;                  // BoundedWork
  i64 first_pass, end_pass;  // of `passes` and `walk`
  i64 first, end;            // the block's elements; of `table` those that it reads
  void* elements;            // from `first` on
  void* saved;               // of `save` and `restore`: the elements that are stored, from `first` on
  /// Elements before them that its passes read: from `below_first` on, up to `below_end`, which is `first` if there
  /// are several passes.
  const void* below;
  i64 below_first, below_end;
  /// A bit for each pass and cell of the elements: set if the cell is better for taking it. A row a pass, words in a
  /// row from `taken_first` on; null: nobody goes back.
  u64* taken;
  i64 taken_stride, taken_first;
  i64 is_last;  // 1: these are the last passes, after which the best cell is looked for
  i64 cell;     // of `walk`: the bit of the cell where it begins, counted over all words
  void* table;  // of `table`: the cells [first_cell, end_cell) in row-major order
  i64 first_cell, end_cell;
};

struct BoundedResult {
  i64 last;  // value of the table's last cell, for integers, if it is one of the block's
  double last_real;
  i64 best;  // the largest value of the block's cells, of max
  double best_real;
  i64 best_cell;                         // the first cell with it; -1: none
  i64 overflow_pass;                     // the first pass in which a count leaves its type; -1: none
  i64 overflow;                          // the first such cell
  u64 walked[most_bounded_passes / 64];  // bits of the passes that the walk took, from `first_pass` on
};

}  // namespace terrace::dp_table
