// Rows and columns of a table that are kept as results.
#pragma once

#include <cstdint>

#include "kernels/wavefront/task.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::wavefront {

/// Which rows and columns of a table are kept: those that end `every` of them, and the last; and in what type.
struct KeptLines {
  std::int64_t every = 1;
  ElementType type = ElementType::i32;  // holds every value of a border, as a table would store it

  /// Whether row (or column) `end` - 1 of `extent` is kept.
  bool keeps(std::int64_t end, std::int64_t extent) const { return end % every == 0 || end == extent; }
  /// How many of the first `end` rows of `extent` are.
  std::int64_t count(std::int64_t end, std::int64_t extent) const {
    return end / every + (end == extent && end % every != 0 ? 1 : 0);
  }
};

/// The descriptor of a block of a sweep that keeps lines. Blocks begin at multiples of `every`, or lie between two of
/// them. Of rows that end in it, and of columns, one after another: H, and what plane 1 of
/// their borders has. Null: not kept.
struct KeptTask {
  BlockTask block;
  void *rows, *row_gaps;
  void *columns, *column_gaps;
  std::int64_t row_stride, column_stride;  // elements from one kept row (column) to the next
};

}  // namespace terrace::wavefront
