// The measured sizes that plans of in-place sweeps assume, each with the machine and the rate that it was
// chosen by.
//
// Results never depend on them. Sizes shape slabs, and are recorded among the choices of a stage, so that a change
// does not touch runs that are under way. tests/benchmarks/RESULTS.md has the sizes, the limits and the commands.
// "Not measured" marks a value of which no figure is recorded.
//
// H200: NVIDIA H200, CUDA 13.0, 2026-11-21 to 24. Sizes and rates of the kernels themselves stand in
// kernels/in_place/measured.hpp.
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// Slabs of any device: larger ones make disks and links no faster. Not measured.
inline constexpr std::int64_t most_slab_bytes = 128 << 20;

/// Slabs on the CPU.
struct CpuSlabs {
  /// A slab, the one above, the next one, and two on their way to the disk. Not measured.
  static constexpr std::int64_t tiles = 5;
  /// Sweeps of a pass: more of them hide no more of the disk's time. Not measured.
  static constexpr std::int64_t most_sweeps = 256;
  /// Rows of a slab for each sweep of a pass, if there is memory for it. Not measured.
  static constexpr std::int64_t heights = 2;
};

/// Slabs on a GPU: gpu_seconds() of slabs.cpp takes the cut that is fastest by these rates.
struct CudaSlabs {
  /// Sweeps of a pass that are tried. H200, 65536 x 65536, an eighth of it in device memory: passes of 768 sweeps
  /// 2.0 T, of 512 (32768 x 65536, a quarter) 1.89 T.
  static constexpr std::int64_t pass_sweeps[] = {768, 640, 512, 384, 320, 256, 192, 128, 96,
                                                 64,  48,  32,  16,  8,   4,   2,   1};
  /// Sweeps of a pass from which on slabs may be larger than most_slab_bytes, and how large. Not measured.
  static constexpr std::int64_t many_sweeps = 17, most_bytes = 512 << 20;
  /// Tiles in which no warp works: one comes, one goes, one is kept by the slab below it. H200: with these 95 to 100%
  /// of the rate in device memory.
  static constexpr std::int64_t tiles_moving = 3;
  /// Cells in all sweeps from which further devices are opened: to open one takes 0.3 s, in which an H200 sweeps so
  /// many.
  static constexpr double least_dealt_cells = 6e11;
  /// Slabs of a device, of several: a pass may begin when the one before it is two slabs ahead. Not measured.
  static constexpr std::int64_t least_slabs_of_part = 3;
  /// Cells a second in f32, with two warps on each scheduler. H200: 1.93 to 2.0 T.
  static constexpr double cells_per_second = 1.9e12;
  /// The part of that rate that one warp on each scheduler reaches. H200: a step takes 1,050 cycles with one warp,
  /// 1,550 with two.
  static constexpr double one_warp = 0.74;
  /// Schedulers of a multiprocessor: of every GPU from compute capability 7.0 on. Not measured.
  static constexpr std::int64_t schedulers = 4;
  /// Sweeps that a warp makes at a time, times the bytes of a cell: see `many` in kernels/in_place/measured.hpp.
  static constexpr std::int64_t band_bytes = 64;
  /// Rate of the link each way, both at once. H200: 50.9 GB/s.
  static constexpr double link_bytes_per_second = 50e9;
};

}  // namespace terrace::stages::measured
