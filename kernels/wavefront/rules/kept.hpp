// Rows and columns of a table that are kept as results.
#pragma once

#include <cstdint>

#include "kernels/wavefront/task.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::wavefront {

/// The kept rows and columns of a table: each that ends `every` of them, and the last; and their type.
struct KeptLines {
  std::int64_t every = 1;
  ElementType type = ElementType::i32;  // holds every value of a border, as a table would store it

  /// True if row (or column) `end` - 1 of `extent` is kept.
  bool keeps(std::int64_t end, std::int64_t extent) const { return end % every == 0 || end == extent; }
  /// Number of kept rows (or columns) among the first `end` of `extent`.
  std::int64_t count(std::int64_t end, std::int64_t extent) const {
    return end / every + (end == extent && end % every != 0 ? 1 : 0);
  }
};

}  // namespace terrace::wavefront
