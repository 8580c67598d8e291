// How in-place sweeps are cut on CUDA (in_place_kernel.cuh): for the kernel, and for whoever gives it memory. No host
// library header.
#pragma once

#include "kernels/device/host_device.hpp"

namespace terrace::wavefront {

/// Steps between looks at what neighbours handed on: a multiple of the cells in 16 bytes.
inline constexpr int in_place_piece = 8;

/// Sizes of a band, which a warp sweeps: lanes hold rows, and of each several sweeps.
struct InPlaceShape {
  int slant;        // columns by which a sweep is behind in the next row; one more a sweep
  int value_bytes;  // of a cell
  bool few;         // for few sweeps a pass

  static constexpr int lane_rows = 4, rows = 32 * lane_rows;
  /// Sweeps of a group: as many as the registers hold, with corners those of two steps.
  TERRACE_HOST_DEVICE constexpr int sweeps() const { return few ? 1 : (slant == 0 ? 64 : 32) / value_bytes; }
  /// Values of a row at one step, each after another number of sweeps, and of one more as the group found it; padded
  /// to an odd number of 16 bytes where there are many.
  TERRACE_HOST_DEVICE constexpr int entry() const { return few ? 2 : (slant == 0 ? 80 : 48) / value_bytes; }
  TERRACE_HOST_DEVICE constexpr int entry_words() const { return entry() * value_bytes / 4; }
  /// Steps that a lane makes at once, by which it is behind the lane above it.
  TERRACE_HOST_DEVICE constexpr int stride() const { return few && slant == 0 ? 2 : 1; }
  /// Steps that the band's last row is behind its first.
  TERRACE_HOST_DEVICE constexpr int behind() const { return 31 * stride() + slant * (rows - 1); }
  /// Cells in 16 bytes; of a row that are moved at once; that wait in shared memory until their lane is there.
  TERRACE_HOST_DEVICE constexpr int chunk() const { return 16 / value_bytes; }
  TERRACE_HOST_DEVICE constexpr int moved() const { return 32 / value_bytes; }
  TERRACE_HOST_DEVICE constexpr int waiting() const { return (few ? 128 : 64) / value_bytes; }
};

}  // namespace terrace::wavefront
