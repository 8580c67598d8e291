// The measured sizes of stencils, each with the machine that it was chosen on.
//
// To tune a kernel, change its entry here. Results never depend on these values. tests/benchmarks/RESULTS.md has the
// rates, the limits and the commands that repeat them. "Not measured" marks a value of which no figure is recorded.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::stencil::measured {

/// Sub-passes on the CPU (cpu/tile.hpp).
struct CpuTiles {
  /// Bytes of the rings of a thread: they stay in its second-level cache. Not measured.
  static constexpr device::i64 ring_bytes = 384 << 10;
  /// Steps of a sub-pass times the radius. Not measured.
  static constexpr device::i64 reach = 8, reach_of_volumes = 4;
  /// Cells of a tile along the last axis, and the least along the middle axis. Not measured.
  static constexpr device::i64 width = 1024, least_height = 8;
  /// Rows that are made at once: 1, 2 or 4. Not measured.
  static constexpr device::i64 block = 4;
  /// Cells of a tile of a grid of one dimension. Not measured.
  static constexpr device::i64 line_width = 8192;
  /// Steps of a sub-pass of a grid of one dimension. Not measured.
  static constexpr device::i64 line_depth = 32;
  /// Rows of a tile if there are too few tiles for the threads, in rows of its halo. Not measured.
  static constexpr device::i64 band_halos = 16;
};

}  // namespace terrace::stencil::measured
