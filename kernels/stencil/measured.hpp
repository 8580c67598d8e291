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
  /// Cells of a tile of a grid of one dimension. Not measured.
  static constexpr device::i64 line_width = 8192;
  /// Steps of a sub-pass of a grid of one dimension. Not measured.
  static constexpr device::i64 line_depth = 32;
  /// Rows of a tile if there are too few tiles for the threads, in rows of its halo. Not measured.
  static constexpr device::i64 band_halos = 16;
};

/// Sizes of a kernel that streams rows through registers (cuda/stream_kernel.cuh).
struct StreamSizes {
  int cells;   // of a row that a lane holds
  int levels;  // that a warp makes of a row
  int warps;   // of a thread block, each some levels above the one before
  int rows;    // between two barriers of the thread block
  int slots;   // batches of that many rows in flight from memory, a power of two
  int blocks;  // thread blocks on a multiprocessor, as far as their registers go
};

/// Sums over a star or a box in two dimensions on CUDA.
struct CudaStream {
  /// The largest radius that has a kernel. Not measured.
  static constexpr int most_radius = 4;

  /// H200 prototype, 16384 x 16384, 512 steps, Gcell/s: star f32, radius 1 to 4: 3942, 2157, 1416, 1007; box f32,
  /// radius 1 to 3: 2550, 976, 525; f64: star of radius 1 1815, box of radius 1 to 3 1175, 446, 232. The others,
  /// and all sizes in this kernel: not measured.
  TERRACE_HOST_DEVICE static constexpr StreamSizes sizes(bool box, int radius, int bytes) {
    if (bytes == 8) {
      if (radius == 1) return {4, 4, 4, 1, 8, 2};
      if (radius == 2) return {4, 3, 4, 1, 8, 2};
      if (radius == 3) return {4, 2, 4, 1, 8, 2};
      return {4, 1, 4, 1, 8, 2};
    }
    if (radius == 1) return {8, 4, 4, 2, 4, 4};
    if (box)
      return radius == 2   ? StreamSizes{12, 2, 4, 1, 2, 3}
             : radius == 3 ? StreamSizes{12, 1, 4, 1, 4, 4}
                           : StreamSizes{8, 1, 4, 1, 4, 4};
    if (radius == 2) return {12, 2, 4, 2, 4, 3};
    return radius == 3 ? StreamSizes{8, 2, 4, 2, 2, 3} : StreamSizes{8, 2, 4, 2, 2, 2};
  }
};

}  // namespace terrace::stencil::measured
