// The measured sizes that plans of the recursive stage assume, each with the machine and the rate that it
// was chosen by.
//
// Results never depend on them. Sizes shape tiles and blocks, and are recorded among the
// choices of a stage, so that a change does not touch runs that are under way. tests/benchmarks/RESULTS.md has the
// sizes, the limits and the commands. "Not measured" marks a value of which no figure is recorded. T and G are 10^12
// and 10^9 updates of an element a second, of problems over intervals splits.
//
// H200: NVIDIA H200, CUDA 13.0, 2026-11-21 to 23. EPYC: AMD EPYC, AVX2 or AVX-512, 2026-11-21 to 23.
// Sizes and rates of the kernels themselves stand in kernels/recursive (measured.hpp, measured_rates.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace terrace::stages::measured {

/// Sides of tiles (tiles.cpp).
struct TileSides {
  std::int64_t most;   // larger ones take too long, or leave other tiles too little to do
  std::int64_t least;  // smaller ones are mostly reading and packing
};
/// On the CPU: blocks of the largest take some tenths of a second. EPYC: other sizes not recorded.
inline constexpr TileSides cpu_sides{2048, 256};
/// On a GPU: blocks of the largest take some milliseconds. H200, floyd_warshall f32 of 16384: 14.7 T with 2048, 15.5
/// T with 4096; of 8192: 12.6 T with 4096, 11.6 T with 8192. The least: i64 with 350 rows has 0.16 to 0.21 T, with
/// 4096 rows 2.99 T.
inline constexpr TileSides cuda_sides{4096, 512};
/// Tiles across a table of many on a GPU, so that copies hide behind blocks. Not measured.
inline constexpr std::int64_t cuda_tiles_across = 8;
/// Side below which no tiles are taken for the sake of `cuda_tiles_across`. H200: see `cuda_sides`.
inline constexpr std::int64_t cuda_busy_side = 2048;

/// Tables that do not fit a memory (tiles.cpp).
struct PassTraffic {
  /// Parts of a table that a pass reads and writes, where three squares a part would be read if none stayed from the
  /// part before. EPYC, tables up to 64 times the memory: mostly some tenths more than moves (planned 5.7 and 3.8
  /// sizes of the matrix, moved 4.4 and 2.8, at a quarter of the memory).
  static constexpr double read = 2.5, written = 1.5;
};

/// Bytes of the rows of a table that a block of searches makes, about (searches/stage.cpp). Not measured.
inline constexpr std::int64_t search_band_bytes = std::int64_t{128} << 20;

/// Rows of a block of searches: a multiple of it if memory permits, so that all threads search from as many nodes at
/// once; at least so many where only reductions are kept. Not measured.
inline constexpr std::int64_t search_rows = 1024;

/// Blocks of products (products/blocks.cpp).
struct ProductBlocks {
  /// Tiles that come and go while others are used. EPYC, f32, 1024: planned and moved within 2%; other sizes not
  /// recorded.
  static constexpr std::int64_t most_spare = 8;
  /// Tiles of the depth for which a device's block is moved up and down. Not measured.
  static constexpr std::int64_t least_slab = 4;
};

}  // namespace terrace::stages::measured
