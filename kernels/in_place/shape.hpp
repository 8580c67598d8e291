// How in-place sweeps are cut on CUDA (cuda/kernel.cuh): for the kernel, and for whoever gives it memory. No host
// library header.
#pragma once

#include "kernels/device/host_device.hpp"

namespace terrace::wavefront {

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
  /// Whether a warp's time is what its steps wait for: few sweeps of lines in which a lane may make several at once.
  TERRACE_HOST_DEVICE constexpr bool strides() const { return few && slant == 0; }
  /// Steps that a lane makes at once, by which it is behind the lane above it.
  TERRACE_HOST_DEVICE constexpr int stride() const { return strides() ? 2 : 1; }
  /// Steps between looks at what neighbours handed on: a multiple of those of a stride.
  TERRACE_HOST_DEVICE constexpr int piece() const { return strides() ? 16 : 8; }
  /// Steps that the band's last row is behind its first.
  TERRACE_HOST_DEVICE constexpr int behind() const { return 31 * stride() + slant * (rows - 1); }
  /// Cells in 16 bytes; of a row that are moved at once; that wait in shared memory until their lane is there.
  TERRACE_HOST_DEVICE constexpr int chunk() const { return 16 / value_bytes; }
  TERRACE_HOST_DEVICE constexpr int moved() const { return (strides() ? 64 : 32) / value_bytes; }
  TERRACE_HOST_DEVICE constexpr int waiting() const { return (strides() ? 256 : few ? 128 : 64) / value_bytes; }
  /// Thread blocks that a multiprocessor holds, as far as their registers go.
  TERRACE_HOST_DEVICE constexpr int thread_blocks() const { return strides() ? 1 : few ? 4 : 2; }
};

}  // namespace terrace::wavefront
