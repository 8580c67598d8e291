// The descriptor of a launch that makes steps of a large box.
#pragma once

#include "kernels/stencil/cuda/common/stream_rows.hpp"
#include "kernels/stencil/measured.hpp"

namespace terrace::stencil {

/// The strips of a launch.
struct StripChunks {
  i64 tiles, stride;  // strips; columns from one strip's begin to the next one's
  i64 rows;           // the most of a strip that a warp makes one after another
};

/// Some levels of a sum over a large box in two dimensions.
template <class T>
struct BoxTask : StreamRows<T, 1, StripChunks> {
  /// Warps of a thread block: one for each scheduler of a multiprocessor.
  static constexpr i32 block_warps = 4;
  static constexpr i32 most_span = 2 * most_radius + 1;
  /// The values from one row of coefficients to the next, which begin at lines of 64 bytes of the constant cache.
  TERRACE_HOST_DEVICE static constexpr i32 row_of(i32 span) {
    constexpr i32 line = 64 / sizeof(T);
    return (span + line - 1) / line * line;
  }
  /// Before the coefficients, so that they begin at byte 896 of the constant cache, a line of 64 bytes: a kernel's
  /// parameters begin at byte 0x210 of it (sm_90), and this task, which follows a pointer, 16 bytes behind. H100,
  /// 2026-11-27, f32 of radius 5, 6 and 7: 213, 154, 111 Gcell/s; at byte 928 198, 151, 107, and at 1024, where a
  /// line begins, too, 199, 151, 106: not explained.
  unsigned char before[16];
  /// Row-major, of the square around the cell.
  alignas(16) T coefficients[most_span * row_of(most_span)];
  /// The least size of values whose products with coefficients other than 0, and sums of these, are too large to be
  /// rounded to 0. For sums by products.
  T least;

  static_assert(0x210 + 16 + sizeof(StreamRows<T, 1, StripChunks>) + sizeof before == 896);
};

}  // namespace terrace::stencil
