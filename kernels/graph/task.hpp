// Descriptor and result of a block of a graph: a slab of its kept nodes.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::graph {

using device::i64;

/// Ranges of rows of an input that a slab reads, and tiles of a kept node that it writes.
inline constexpr int most_ranges_read = 3, most_tiles_written = 2;
/// Numbers that a task brings, and reductions of a graph.
inline constexpr int most_numbers = 8;
/// Iterations of a graph that hand rows on.
inline constexpr int most_carries = 4;
inline constexpr int most_parts = 16 * (most_ranges_read + most_tiles_written);

/// Rows [begin, end) of an input, or of a kept node, in memory of the device that computes the block.
struct Part {
  void* data;  // the first element of row `begin`, of the stored type
  i64 begin, end;
  i64 stride;  // elements from row to row
  i64 number;  // of the input, or of the kept node
  i64 is_kept;
};

struct GraphTask {
  i64 slab;
  i64 part_count;
  Part parts[most_parts];
  double numbers[most_numbers];  // Graph::numbers of them
  /// Results of Graph::reductions over the rows above the slab, as many elements as these have: a double, counts in
  /// i64, or positions. The slab adds its own; the first one finds memory without values.
  void* reduced[most_numbers];
  /// The carries of carriers_of(), in the type of values: what the slab above has handed on, and what this one does.
  /// The first one finds memory without values.
  void* carried[most_carries];
};

/// The first element of the slab's inputs that is NaN; then what is made of the slab has no meaning. Else what the
/// reductions are with this slab.
struct GraphResult {
  i64 has_nan;
  i64 input, row, column;
  double numbers[most_numbers];  // of Graph::reductions: of positions how many there are; 0 for counts
};

}  // namespace terrace::graph
