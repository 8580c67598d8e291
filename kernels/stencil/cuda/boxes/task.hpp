// The descriptor of a launch that makes steps of a large box.
#pragma once

#include "kernels/stencil/cuda/streams/task.hpp"

namespace terrace::stencil {

/// Some levels of a sum over a large box in two dimensions. Its chunks are the most rows that a warp makes of a
/// strip; no strip is at an end of its own.
template <class T>
struct BoxTask : StreamRows<T, 1> {
  /// Warps of a thread block: one for each scheduler of a multiprocessor.
  static constexpr i32 block_warps = 4;
  static constexpr i32 most_span = 2 * most_radius + 1;
  /// The values from one row of coefficients to the next, which begin at lines of 64 bytes of the constant cache.
  TERRACE_HOST_DEVICE static constexpr i32 row_of(i32 span) {
    constexpr i32 line = 64 / sizeof(T);
    return (span + line - 1) / line * line;
  }
  /// Before the coefficients, so that they begin at a line of 64 bytes of the constant cache: a kernel's parameters
  /// begin at byte 0x210 of it (sm_90), and this task, which follows a pointer, 64 bytes behind.
  alignas(64) unsigned char before[48];
  /// Row-major, of the square around the cell.
  T coefficients[most_span * row_of(most_span)];
  /// The least size of values whose products with coefficients other than 0, and sums of these, are too large to be
  /// rounded to 0. For sums by products.
  T least;
};

}  // namespace terrace::stencil
