// A box of a row-major array as runs of neighbouring bytes.
#pragma once

#include <cstdint>

#include "pipeline/base/box.hpp"

namespace terrace::io {

/// The bytes of `box` in a row-major array: `count` runs of `run_bytes` bytes each, in the order of a packed copy of
/// the box, so run i holds the packed bytes [i * run_bytes, (i + 1) * run_bytes). Dimensions that the box covers in
/// full are merged: a full-width box is one run.
class BoxRuns {
 public:
  /// @param shape the array; @param element_size bytes of one element; @param box half-open, within the shape
  /// @throws Error if the box does not lie in the array or the ranks differ
  BoxRuns(const Extents& shape, std::int64_t element_size, const Box& box);

  std::int64_t count() const { return count_; }
  std::int64_t run_bytes() const { return run_bytes_; }
  /// Bytes of the whole box; 0 if it is empty.
  std::int64_t bytes() const { return count_ * run_bytes_; }
  /// First byte of run `run` in [0, count), counted from the array's first byte.
  std::int64_t offset(std::int64_t run) const;
  /// One past the last byte that the box touches in the array; 0 if it is empty.
  std::int64_t end() const { return count_ ? offset(count_ - 1) + run_bytes_ : 0; }

 private:
  Extents outer_begin_, outer_shape_, outer_stride_;
  std::int64_t count_ = 0;
  std::int64_t run_bytes_ = 0;
  std::int64_t inner_offset_ = 0;
};

}  // namespace terrace::io
