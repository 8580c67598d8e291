// The sizes of kernels that stream rows of formulas that a job writes.
#pragma once

#include "kernels/stencil/measured.hpp"

namespace terrace::stencil {

/// By the fields, as CudaFormulaStream::sizes; with `fewer` those of formulas whose values do not fit into registers
/// otherwise: half of the levels a warp. H200, 2026-11-28, 8192 x 8192, f32, Gray and Scott of 24 operations: 375 G
/// cells/s with 1.9 KB of registers in memory, 716 G with fewer levels.
TERRACE_HOST_DEVICE constexpr measured::StreamSizes written_sizes(int fields, bool arrays, int bytes, bool fewer) {
  measured::StreamSizes sizes = measured::CudaFormulaStream::sizes(fields, arrays, bytes);
  if (fewer && sizes.levels > 1) {
    sizes.levels = sizes.levels < 4 ? 1 : sizes.levels / 2;
    sizes.warps = 6;
    sizes.blocks = 2;
  }
  return sizes;
}

/// Bytes of a thread's values in local memory from which on fewer levels are better. Not measured.
inline constexpr int most_local_bytes = 128;

}  // namespace terrace::stencil
