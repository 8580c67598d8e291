// The selectors of columns, in shared memory: each picks the scores with a column's letter from the bytes of two rows
// (row_scores.cuh), and has the letter above it.
#pragma once

#include "kernels/wavefront/cuda/pairs/context.cuh"

namespace terrace::wavefront {

/// Puts a selector where lanes find it: with a column's letter (low half) and the one before (high half). Outside the
/// block both bytes of a half are the sign of a row's: a number that is not above 0, and so, less the cost of a gap's
/// first letter, a score that is not either. @tparam Warp a PairContext
template <class Warp>
__device__ __forceinline__ void keep_selector(const Warp& warp, i32 column, u32 letter, u32 before) {
  const bool here = warp.is_column(column);
  const u32 low = here ? (letter & 3) * 0x11u + 0x80u : 0x88u;
  const u32 high = warp.is_column(column - 1) ? (before & 3) * 0x1100u + 0xC400u : 0xCC00u;
  const u32 selector = low | high | (here ? letter << 16 : 0);
  const int at = column & (Warp::Memory::ring - 1);
  warp.memory.selectors[at] = selector;
  if (at < piece) warp.memory.selectors[Warp::Memory::ring + at] = selector;
}

/// Clears the selectors of the columns before the block's first. All lanes call it.
template <class Warp>
__device__ __forceinline__ void clear_selectors_before(const Warp& warp) {
  keep_selector(warp, warp.lane - 2 * piece, 0, 0);
  keep_selector(warp, warp.lane - piece, 0, 0);
  __syncwarp();
}

/// Halves whose columns have a letter other than the four. @param selector of the upper half's column
template <class Warp>
__device__ __forceinline__ u32 odd_columns(const Warp& warp, u32 selector, i32 column) {
  const u32 before = warp.memory.selectors[(column - 1) & (Warp::Memory::ring - 1)];
  return mask_of(selector >> 16 >= 4, before >> 16 >= 4);
}

}  // namespace terrace::wavefront
