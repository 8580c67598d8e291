// Tables whose steps may be taken a bounded number of times, as passes over their cells in place.
#pragma once

#include <vector>

#include "kernels/dp_table/bounded_task.hpp"
#include "kernels/dp_table/table.hpp"

namespace terrace::dp_table {

/// A table of 1 to most_bounded_dimensions dimensions whose steps are bounded (StepSet::each), with its passes.
///
/// All passes go from the last cell to the first, so they may run in place: a cell reads cells before it. A step that
/// may be taken k times is some passes that take it 1, 2, 4, ... times together, with a rest at the end; k beyond
/// what fits the table is as good as no bound. Counts, which would count some combinations twice so, are differences
/// of unbounded ones: passes of 1, 2, 4, ... times up to the table's end, after one that subtracts k + 1 times.
struct BoundedTable {
  explicit BoundedTable(Table definition);

  Table table;
  ElementType stored;       // of the elements: u64, i32, i64, f32 or f64
  i64 elements = 0;         // in all
  i64 line = 0, words = 0;  // cells of the last dimension, and the elements that hold them
  std::vector<BoundedPass> passes;

  /// Cells of an element.
  i64 packed() const { return table.combine == Combine::any ? 64 : 1; }
  /// The bit of a cell by its index in row-major order, counted over words of 64 cells: that of the elements of
  /// Combine::any, and of what passes took.
  i64 bit_of(i64 cell) const { return packed() == 1 ? cell : cell / line * words * 64 + cell % line; }
  /// The bits back of a pass.
  static i64 bits_back(const BoundedPass& pass, i64 packed) { return pass.offset * packed + pass.bits; }
  /// Words of a pass's bits of all cells.
  i64 taken_words() const { return packed() == 1 ? (elements + 63) / 64 : elements; }
};

/// The value of cells that no step reaches, of whole numbers.
std::int64_t unreached_value(const Table& table);

}  // namespace terrace::dp_table
