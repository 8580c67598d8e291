// The share of a launch that a warp makes of strips of a grid (kernel.cuh).
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::stencil {

using device::i32, device::i64;

/// Batches [next, end) of the strips' parts, one strip after another. A part is `batches` batches of a strip, from
/// batch `first` of the strip on.
///
/// Warps whose numbers follow one another make strips side by side in the same rows, a part each, as far as whole
/// parts go: then their rows lie near each other in memory. The warps that are left share the last rows of all
/// strips, as many batches each.
struct BoxShare {
  i64 first, batches, next, end;

  /// @param number of the warp, below `warps` @param whole batches of a strip
  /// @param most batches of a part: at least whole * strips / warps
  TERRACE_HOST_DEVICE constexpr BoxShare(i64 number, i64 warps, i64 strips, i64 whole, i64 most) {
    const i64 parts = warps / strips, left_warps = warps - parts * strips, left_number = number - parts * strips;
    if (left_number < 0) {
      first = number / strips * most;
      batches = whole - first < most ? whole - first : most;
      next = number % strips * batches;
      end = next + batches;
    } else {
      first = parts * most;
      batches = whole - first;
      next = strips * batches * left_number / left_warps;
      end = strips * batches * (left_number + 1) / left_warps;
    }
  }
};

}  // namespace terrace::stencil
