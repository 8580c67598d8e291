// The measured rates and sizes that plans of stencils assume, each with the machine and the rate that it was chosen
// by.
//
// Results never depend on them. Sizes shape slabs, and are recorded among the choices of a stage. "Not measured"
// marks a value of which no figure is recorded. Sizes of the kernels themselves stand in
// kernels/stencil/measured.hpp.
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// Slabs of a pass.
struct StencilSlabs {
  /// Steps of a pass that are tried. Not measured.
  static constexpr std::int64_t pass_steps[] = {512, 384, 256, 192, 128, 96, 64, 48, 32,
                                                24,  16,  12,  8,   6,   4,  3,  2,  1};
  /// Bytes of a tile of a field: larger ones make disks and links no faster. Not measured.
  static constexpr std::int64_t most_tile_bytes = 256 << 20;
  /// Bytes of a slab of a field: the first one is read before a pass begins. H100, 2026-11-28, star2d of radius 1 in
  /// f32, 65536 x 32768, 512 steps: 256 MiB 3.66 T cells/s, 512 MiB 3.95 T.
  static constexpr std::int64_t most_slab_bytes = 512 << 20;
  /// Tiles of a constant array. Not measured.
  static constexpr std::int64_t array_tiles = 3;
  /// Cells of a grid from which on several devices compute it, though it fits one. Not measured.
  static constexpr double least_dealt_cells = 1 << 25;
  /// Rows of a slab over those of its rims, at least, where each of several devices has one. Not measured.
  static constexpr std::int64_t least_rims = 16;
  /// Cells of one block of a whole grid, times steps: some tenths of a second, so that a stop is soon. Not measured.
  static constexpr double cpu_updates = 1e9, cuda_updates = 5e11;
};

/// A rate at a radius, in Gcell/s. f64 0: half of f32.
struct RadiusRate {
  int radius;  // 0: no entry
  double f32, f64 = 0;
};

/// The rates of an operator. stencil_speed() (rates.hpp) finds others from them.
struct StencilRates {
  const char*
      name;  // of the operator; "separable": a box as the sum of sums; "": any other, multiply-adds by its row
  RadiusRate at[6];  // radii ascend
};

/// Kernels of CUDA for several steps at a time, rows or planes in registers; boxes of radius 5 to 8 step by step.
/// H100, tests/benchmarks/RESULTS.md.
inline constexpr StencilRates stencil_stream_rates[] = {
    // H100, 16384 x 16384, 2026-11-27. f64 has no such kernel beyond radius 4. Radius 7 of f32: 570.
    {"star2d", {{1, 4170, 2000}, {2, 2260, 1050}, {3, 1440, 660}, {4, 1170, 529}, {5, 916}, {8, 597}}},
    // H100, alike. Radius 6 and 7: 154 and 111, f64 98 and 74.
    {"box2d", {{1, 2580, 1250}, {2, 970, 479}, {3, 490, 252}, {4, 300, 167}, {5, 213, 109}, {8, 91, 66}}},
    // H100, alike; f64 of radius 2, 4 and 6 2026-11-26.
    {"separable", {{1, 3590, 1740}, {2, 2050, 929}, {3, 1360, 615}, {4, 1100, 495}, {6, 715, 315}, {8, 517}}},
    // H100, 1024 x 512 x 512, 2026-11-27.
    {"star3d", {{1, 869, 566}}},
    // H100, alike.
    {"box3d", {{1, 511, 269}}},
    // H100, alike.
    {"heat3d", {{1, 1010, 509}}},
    // H100, alike.
    {"wave3d", {{1, 236, 118}}},
    // H100, 8192 x 8192, 2026-11-27.
    {"heat2d", {{1, 2930, 1440}}},
    // H100, alike.
    {"wave2d", {{1, 1690, 818}}},
    // H100, alike.
    {"fdtd2d", {{1, 1100, 344}}},
    // H100, alike.
    {"hotspot", {{1, 628, 345}}},
};

/// One step of any stencil on CUDA. H200, as above.
inline constexpr StencilRates stencil_step_rates[] = {
    // H200, the grids of the table above. f32 of radius 5 and 8: not measured.
    {"star2d", {{1, 220, 180}, {5, 140, 81}, {8, 91, 53}}},
    // H200, alike. f64 of radius 4 and 8: not measured.
    {"box2d", {{1, 160, 140}, {2, 73, 67}, {4, 24}, {8, 7}}},
    // H200, alike, f32.
    {"separable", {{1, 150}, {3, 61}}},
    // H200, alike.
    {"star3d", {{1, 170, 150}}},
    // H200, alike.
    {"box3d", {{1, 66, 59}}},
    // H200, alike.
    {"heat2d", {{1, 330, 160}}},
    // H200, alike.
    {"wave2d", {{1, 170, 100}}},
    // H200, alike.
    {"fdtd2d", {{1, 83, 59}}},
    // H200, alike.
    {"hotspot", {{1, 170, 130}}},
    // Not measured.
    {"", {{1, 1000, 800}}},
};

/// Schedule::overlapped. H200, as above.
inline constexpr StencilRates stencil_overlapped_rates[] = {
    // H200, 8192 x 8192, f32.
    {"star2d", {{1, 305}}},
    // Not measured.
    {"", {{1, 1500}}},
};

/// Schedule::time_skewed. H200, as above.
inline constexpr StencilRates stencil_skewed_rates[] = {
    // H200, 8192 x 8192, f32, tiles of 64 x 32.
    {"star2d", {{1, 20}, {4, 12}}},
    // Not measured.
    {"", {{1, 100}}},
};

/// Both threads of a CPU. EPYC, tests/benchmarks/RESULTS.md.
inline constexpr StencilRates stencil_cpu_rates[] = {
    // EPYC with AVX-512, 2026-11-24, 8192 x 8192. f64 of radius 2 to 8: not measured.
    {"star2d", {{1, 15.2, 7.5}, {2, 8.2}, {4, 3.8}, {8, 1.3}}},
    // EPYC, alike. f64 of radius 3: not measured.
    {"box2d", {{1, 10.1, 4.9}, {3, 1.1}}},
    // EPYC, 512 x 512 x 512.
    {"star3d", {{1, 3.4, 1.8}}},
    // EPYC, 512 x 512 x 512, f32.
    {"box3d", {{1, 1.4}}},
    // EPYC, f32.
    {"star1d", {{1, 10.8}}},
    // EPYC, 8192 x 8192.
    {"heat2d", {{1, 12.7, 6.7}}},
    // EPYC, 8192 x 8192, f32.
    {"wave2d", {{1, 6.0}}},
    // EPYC, 8192 x 8192, f32.
    {"fdtd2d", {{1, 3.5}}},
    // EPYC, by the time of its threads while others used it, when star2d had 11.8; 64 steps of 2048 x 8192, f32.
    {"hotspot", {{1, 6.9}}},
    // EPYC, alike, 64 x 512 x 512.
    {"heat3d", {{1, 3.7}}},
    // EPYC, alike, 64 x 512 x 512.
    {"wave3d", {{1, 2.1}}},
    // EPYC, alike: `offsets` with four terms 5.8.
    {"", {{1, 30}}},
};

/// Operations of a cell of a formula, a multiply-add being one.
struct FormulaOperations {
  const char* name;
  double operations;
};

/// The operations by which RESULTS.md gives limits. See `stencil_stream_rates`.
inline constexpr FormulaOperations formula_operations[] = {
    // H200: see `stencil_stream_rates`.
    {"heat2d", 5},
    // Not measured: two neighbours more than heat2d.
    {"heat3d", 7},
    // H200: see `stencil_stream_rates`.
    {"wave2d", 7},
    // Not measured: two neighbours more than wave2d.
    {"wave3d", 9},
    // H200: see `stencil_stream_rates`.
    {"fdtd2d", 8},
    // H200: see `stencil_stream_rates`.
    {"hotspot", 9},
};

/// Multiply-adds of f32 a second of the machines of the rates. H200: 33.2 T. EPYC, both threads with AVX-512: 118 G.
inline constexpr double stencil_cuda_multiply_adds = 3.32e13, stencil_cpu_multiply_adds = 1.18e11;

/// Bytes a second of the second-level cache of a GPU, from which levels of formulas read constant arrays. H200: 7.6
/// to 8.4 TB/s.
inline constexpr double stencil_cache_bytes = 8e12;

}  // namespace terrace::stages::measured
