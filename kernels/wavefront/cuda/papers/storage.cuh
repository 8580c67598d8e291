// Storage of a kernel tile's cells during its computation: H and F of one anti-diagonal, which the next one reads.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::wavefront {

using device::i32;

/// Global memory behind the cache: the last two anti-diagonals; element r belongs to row r of the tile.
template <class V>
struct CachedTile {
  static constexpr bool holds_tile = false;

  V* h;        // [2][height]
  V* f;        // [2][height]; problems that hand F down
  i32 height;  // of the tile

  __device__ __forceinline__ V h_at(i32 row, i32 step) const { return h[(step & 1) * height + row]; }
  __device__ __forceinline__ void put_h(i32 row, i32 step, V value) const { h[(step & 1) * height + row] = value; }
  __device__ __forceinline__ V f_at(i32 row, i32 step) const { return f[(step & 1) * height + row]; }
  __device__ __forceinline__ void put_f(i32 row, i32 step, V value) const { f[(step & 1) * height + row] = value; }
};

/// Shared memory: H of the whole tile, moved to and from global memory in one go; rows are shifted against one
/// another so that an anti-diagonal is a column (Li 2020, fig. 10). F is needed for two anti-diagonals only.
template <class V>
struct SharedTile {
  static constexpr bool holds_tile = true;

  V* h;        // [height][stride]; column 0 is step -1, the last one of the tile before
  V* f;        // [2][height]
  i32 height;  // of the tile
  i32 stride;  // odd: the rows of a warp are in different banks

  /// The least stride for tiles of that width.
  TERRACE_HOST_DEVICE static constexpr i32 stride_for(i32 width) { return (width + 1) | 1; }

  __device__ __forceinline__ V h_at(i32 row, i32 step) const { return h[row * stride + step + 1]; }
  __device__ __forceinline__ void put_h(i32 row, i32 step, V value) const { h[row * stride + step + 1] = value; }
  __device__ __forceinline__ V f_at(i32 row, i32 step) const { return f[(step & 1) * height + row]; }
  __device__ __forceinline__ void put_f(i32 row, i32 step, V value) const { f[(step & 1) * height + row] = value; }
};

}  // namespace terrace::wavefront
