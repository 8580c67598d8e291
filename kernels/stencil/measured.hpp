// The measured sizes of stencils, each with the machine that it was chosen on.
//
// To tune a kernel, change its entry here. Results never depend on these values. tests/benchmarks/RESULTS.md has the
// rates, the limits and the commands that repeat them. "Not measured" marks a value of which no figure is recorded.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::stencil::measured {

/// Sub-passes on the CPU (cpu/tile.hpp). EPYC: AMD EPYC (Zen 4, 1 MiB of second-level cache a core), AVX-512, GCC 12,
/// 2026-11-24, one thread of a machine that others used; cells a second of the thread's own time, star2d of radius 1
/// in f32, 2048 x 8192, 64 steps.
struct CpuTiles {
  /// Bytes of the rings of a thread: they stay in its second-level cache. EPYC: not measured by itself; at depth 16
  /// rows of 4, 8, 12 and 16 KiB, rings of 0.4, 0.8, 1.2 and 1.6 MB: 6.6, 7.6, 6.9 and 7.2 G.
  static constexpr device::i64 ring_bytes = 800 << 10;
  /// Bytes of a row of a tile of two dimensions. EPYC, depth 16: 1 KiB 4.1 G, 2 KiB 5.5, 4 KiB 6.6, 8 KiB 7.6.
  static constexpr device::i64 row_bytes = 8 << 10;
  /// Bytes of a row of a tile of three dimensions. Not measured.
  static constexpr device::i64 volume_row_bytes = 2 << 10;
  /// Steps of a sub-pass times the radius. EPYC, rows of 8 KiB: 8 steps 6.2 G, 16 steps 7.6, 32 steps 7.7 (whose
  /// rings are twice too large). In three dimensions not measured.
  static constexpr device::i64 reach = 16, reach_of_volumes = 4;
  /// The least cells of a tile along the middle and the last axis. Not measured.
  static constexpr device::i64 least_height = 8, least_width = 128;
  /// Rows that are made at once: 1, 2 or 4. EPYC, rows of 8 KiB, depth 16: 2 rows 6.0 G, 4 rows 7.5.
  static constexpr device::i64 block = 4;
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

/// Formulas of radius 1 in two dimensions on CUDA (cuda/formula_level.cuh).
struct CudaFormulaStream {
  /// Rows of constant arrays that are brought into L2 before they are read. Not measured.
  static constexpr int rows_ahead = 8;

  /// By the fields of the formula, and if constant arrays are read; an even number of rows between barriers, at each
  /// of which about a row a level is moved. Not measured; from the instructions of the loop, at the rate of star2d of
  /// radius 1 in f32 (427 for 64 cells of a lane: 3.9 T cells/s), T cells/s: heat2d f32 4.2, wave2d 3.1, fdtd2d 1.9,
  /// hotspot 1.8. With two rows heat2d 3.6, wave2d 2.6.
  TERRACE_HOST_DEVICE static constexpr StreamSizes sizes(int fields, bool arrays, int bytes) {
    if (bytes == 8) {
      if (fields == 1) return {4, 4, 4, 4, 2, 3};
      if (fields == 2) return {4, 3, 4, 4, 2, 2};
      return {4, 2, 4, 4, 2, 2};
    }
    if (fields == 1) return arrays ? StreamSizes{8, 4, 4, 4, 2, 3} : StreamSizes{8, 4, 4, 4, 2, 4};
    if (fields == 2) return arrays ? StreamSizes{8, 3, 4, 4, 2, 3} : StreamSizes{8, 4, 4, 4, 2, 3};
    return arrays ? StreamSizes{8, 2, 4, 2, 2, 3} : StreamSizes{8, 3, 4, 2, 2, 3};
  }
};

/// Tiles in shared memory (cuda/overlapped_kernel.cuh).
struct CudaOverlapped {
  /// Cells of a tile with its halo along a row: 64 KiB for the two arrays of a thread block. Not measured.
  TERRACE_HOST_DEVICE static constexpr int columns(int bytes) { return bytes == 8 ? 64 : 128; }
  /// The same along a column. Not measured.
  static constexpr int rows = 64;
  /// Threads of a thread block. Not measured.
  static constexpr int threads = 512;
  /// Cells of a thread whose sums are made side by side. Not measured.
  static constexpr int cells = 4;
  /// Steps of a tile at a time: so many that its halo is at most 8 cells. Not measured.
  static constexpr int steps(int radius) { return radius > 8 ? 1 : 8 / radius; }
};

}  // namespace terrace::stencil::measured
