// The sizes of in-place sweeps on CUDA (cuda/kernel.cuh): for the kernel, and for the code that sizes its memory.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/in_place/measured.hpp"

namespace terrace::in_place {

/// Sizes of a band, which a warp sweeps: lanes hold rows, and each row after several sweeps.
struct InPlaceShape {
  int slant;        // columns that a row is behind the row above: 1 with corners, else 0
  int value_bytes;  // of a cell
  bool few;         // for few sweeps a pass

  static constexpr int lane_rows = measured::CudaInPlace::lane_rows, rows = 32 * lane_rows;
  /// The row of the table of measured sizes.
  TERRACE_HOST_DEVICE constexpr measured::GroupSizes sizes() const {
    using Table = measured::CudaInPlace;
    return strides() ? Table::few_lines() : few ? Table::few() : Table::many();
  }
  /// Sweeps of a group: as many as the registers hold. With corners the registers hold the values of two steps.
  TERRACE_HOST_DEVICE constexpr int sweeps() const {
    using Table = measured::CudaInPlace;
    return few ? 1 : (slant == 0 ? Table::register_bytes : Table::register_bytes_with_corners) / value_bytes;
  }
  /// Values that a row keeps for one step: one after each sweep of the group, and one from before the group. With
  /// many sweeps the length is padded to an odd multiple of 16 bytes.
  TERRACE_HOST_DEVICE constexpr int entry() const { return few ? 2 : (slant == 0 ? 80 : 48) / value_bytes; }
  TERRACE_HOST_DEVICE constexpr int entry_words() const { return entry() * value_bytes / 4; }
  /// True if a lane makes several steps at once, because the latency of a step bounds the warp. It can with few
  /// sweeps and without corners.
  TERRACE_HOST_DEVICE constexpr bool strides() const { return few && slant == 0; }
  /// Steps that a lane makes at once. A lane is as many steps behind the lane above it.
  TERRACE_HOST_DEVICE constexpr int stride() const { return sizes().stride; }
  /// Steps from one look at the data of the neighbours to the next: a multiple of stride().
  TERRACE_HOST_DEVICE constexpr int piece() const { return sizes().piece; }
  /// Steps that the band's last row is behind its first.
  TERRACE_HOST_DEVICE constexpr int behind() const { return 31 * stride() + slant * (rows - 1); }
  /// Cells in 16 bytes.
  TERRACE_HOST_DEVICE constexpr int chunk() const { return 16 / value_bytes; }
  /// Cells of a row that are moved at once.
  TERRACE_HOST_DEVICE constexpr int moved() const { return sizes().moved_bytes / value_bytes; }
  /// Cells of a row that wait in shared memory until their lane takes them.
  TERRACE_HOST_DEVICE constexpr int waiting() const { return sizes().waiting_bytes / value_bytes; }
  /// Thread blocks that a multiprocessor holds; their registers set the limit.
  TERRACE_HOST_DEVICE constexpr int thread_blocks() const { return sizes().thread_blocks; }
};

}  // namespace terrace::in_place
