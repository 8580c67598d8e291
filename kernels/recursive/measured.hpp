// The measured sizes and thresholds of the recursive kernels, each with the machine and the rate that it was chosen
// by.
//
// To tune a kernel, change its entry here. Results never depend on these values, except where an entry says so. Rates
// are updates of an element a second (G: 10^9, T: 10^12), of problems over intervals splits a second, or times of the
// whole kernel; tests/benchmarks/RESULTS.md has the sizes, the limits and the commands that repeat them. "Not
// measured" marks a value of which no figure is recorded; "other sizes not recorded", one of which only the kernel's
// own rate is.
//
// H200: NVIDIA H200, 132 multiprocessors, CUDA 13.0, 2026-11-21 to 23. EPYC: AMD EPYC, 2026-11-21 to 23, one thread
// with AVX2. The sizes that plans assume stand in stages/recursive/measured.hpp.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::recursive::measured {

using device::i32;
using device::i64;

/// The part of x that a thread block computes of a product on CUDA, and how its threads share it.
struct ProductSizes {
  i32 thread_words;  // words of a row that a thread computes, of each of its rows
  i32 warps_down;    // warps above one another
  i32 blocks;        // thread blocks of a multiprocessor
  i32 ahead;         // turns of pivots that a thread loads factors before it needs them
};

/// Products in any semiring on CUDA (cuda/products/).
struct CudaProducts {
  /// Words of four bytes. H200, min_plus of 16384: f32 17.0 T, i32 17.9 T, i16 31.5 T; three thread blocks
  /// of four warps do more than two of eight (rate not recorded).
  static constexpr ProductSizes narrow{8, 2, 3, 1};
  /// Words of eight bytes. H200, min_plus of 16384: f64 2.24 T, i64 3.14 T; other sizes not recorded.
  static constexpr ProductSizes wide{4, 4, 2, 0};
  /// Rows of a thread, and warps side by side. H200: see `narrow`; other sizes not recorded.
  static constexpr i32 thread_rows = 8, warps_across = 2;
  /// Pivots of a stage in shared memory, and stages there at a time. H200: see `narrow`; other sizes not recorded.
  static constexpr i32 depth = 16, stages = 3;
  /// Rows of parts of x that are computed from left to right before the next ones, so that thread blocks share
  /// panels. Not measured.
  static constexpr i32 rows_in_turn = 8;
  /// Threads of a thread block that packs factors. Not measured.
  static constexpr i32 pack_threads = 256;
  /// Pivots that a tile is closed, or eliminated, by at a time. H200, floyd_warshall f32 of 16384, tiles of 4096:
  /// 15.5 T; other sizes not recorded.
  static constexpr i32 base_pivots = 64;
  /// Threads of a thread block that closes a square: 16 x 16, each with 4 x 4 elements. Not measured.
  static constexpr i32 closure_threads = 256;
};

/// Distances with trails on CUDA (cuda/paths/).
struct CudaPaths {
  /// Rows and columns of the part of x that a thread block relaxes. H200, f32 of 16384, tiles of 4096: 533 ms, 8.24
  /// T, two thread blocks of 128 x 64 a multiprocessor; one of 128 x 128 is 3% slower.
  static constexpr i32 rows = 128, columns = 64;
  /// Rows on devices that give a thread block less shared memory. Not measured.
  static constexpr i32 narrow_rows = 64;
  /// Rows and columns of a thread. H200: see `rows`; other sizes not recorded.
  static constexpr i32 thread_rows = 8, thread_columns = 4;
  /// Pivots of a stage; the same for wide pairs where shared memory is small; stages there at a time. H200: see
  /// `rows`; other sizes not recorded.
  static constexpr i32 depth = 16, narrow_depth = 8, stages = 2;
  /// Pairs of a warp that are looked at together. Not measured.
  static constexpr i32 gathered = 64;
  /// Pairs, of a warp's 1024, up to which they are gathered; above it, taking all is faster. H200, f32: 533 ms;
  /// looking at all pairs took 1.07 s, at none 393 ms. The limit itself is not measured.
  static constexpr i32 most_gathered = 512;
  /// Side of the squares in which factors are copied. Not measured.
  static constexpr i32 copy_side = 32;
};

/// Tables of bits on CUDA (cuda/bits/), by the tensor cores.
struct CudaBits {
  /// Threads of a thread block: four warps, each with a quarter of a part of x. H200, a trial of products of 65536:
  /// 2180 T; with four stages and one thread block of a multiprocessor 1620 T.
  static constexpr i32 threads = 128, blocks = 2;
  /// Rows and columns of a part of x. See `threads`.
  static constexpr i32 side = 128;
  /// Bits of rows of both factors that come into shared memory at a time, and how many times beside one another. See
  /// `threads`.
  static constexpr i32 depth = 1024, stages = 3;
  /// The same where a thread block has less shared memory than that takes. Not measured.
  static constexpr i32 small_depth = 512, small_stages = 2;
  /// Rows of parts that are computed together, so that they share factors in L2. See `threads`.
  static constexpr i32 rows_in_turn = 16;
  /// Pivots that a tile is closed by at a time. Not measured.
  static constexpr i32 pivots = 2048;
};

/// Problems over intervals on CUDA (cuda/intervals/).
struct CudaIntervals {
  /// Rows and columns of the parts in which tiles are closed. H200, matrix_chain f64 of 16384, tiles of 2048: 1485 G;
  /// other sizes not recorded.
  static constexpr i32 part_side = 64;
  /// Threads of a part: as many warps as pieces lie side by side. H200: see `piece_side`.
  static constexpr i32 part_threads = 256;
  /// Rows and columns of a piece, which a warp closes. H200: a tile of 2048 is closed at 812 G (f64) and 1178 G
  /// (i32); at 283 and 411 G before parts were closed in pieces.
  static constexpr i32 piece_side = 8;
  /// Splits whose values are in shared memory at a time. Not measured.
  static constexpr i32 part_depth = 32;
  /// Threads of the thread block that walks through splits. Not measured.
  static constexpr i32 trace_threads = 1024;
};

/// Kernels on CUDA that read or write each value once.
struct CudaRows {
  /// Threads of a thread block that takes rows in turn. Not measured.
  static constexpr i32 threads = 256;
  /// Threads of a thread block that sums rows of distances. Not measured.
  static constexpr i32 reduction_threads = 256;
};

/// Tasks of the CPU's threads (cpu/blocks.hpp).
struct CpuTasks {
  /// Operations up to which one thread is quicker than all. Not measured.
  static constexpr double few_operations = 2e6;
  /// Rows or columns of a piece of work of a thread, at most. Not measured.
  static constexpr i64 most_piece = 384;
  /// Pivots that a tile is closed by at a time. EPYC, floyd_warshall of 2048: f32 15.5 G, i32 24.1 G, i16 46.1 G;
  /// other sizes not recorded.
  static constexpr i64 base_pivots = 64;
};

/// Products in any semiring on the CPU (cpu/product*.hpp), as cut for the caches.
struct CpuProducts {
  /// Rows of v, and columns of u, that are packed at a time for the second-level cache. EPYC, min_plus of 2048: f32
  /// 19.4 G, f64 9.5 G; other sizes not recorded.
  static constexpr i64 depth = 256;
  /// Rows of u that are packed at a time for the second-level cache. See `depth`.
  static constexpr i64 rows = 96;
  /// Bytes of a row of v that is packed at a time. See `depth`.
  static constexpr i64 row_bytes = 1024;
  /// Rows of a register block, by instruction set: 16, 32 and 64 bytes of a vector. See `depth`.
  static constexpr int sse2_rows = 4, avx2_rows = 6, avx512_rows = 12;
  /// Vectors of a row of a register block. See `depth`.
  static constexpr int block_vectors = 2;
};

/// Distances with trails on the CPU (cpu/paths/).
struct CpuPaths {
  /// Rows and columns of v that are copied at a time. Not measured.
  static constexpr i64 depth = 64, columns = 512;
};

/// Tables of bits on the CPU (cpu/bits/).
struct CpuBits {
  /// Words of a row that are made at a time. Not measured.
  static constexpr i64 words = 32;
};

/// Counts by tables of bits on the CPU (cpu/bits/).
struct CpuCounts {
  /// Rows of x whose counts a thread keeps. EPYC, 2026-12-01, a trial of 4096: 256 rows 244 G, 512 313 G, 1024 355 G,
  /// 2048 413 G, while other programs took part of both cores.
  static constexpr i64 rows = 2048;
  /// Columns of u whose words are packed for these rows. Not measured.
  static constexpr i64 depth = 4096;
};

/// Searches on the CPU (cpu/searches/).
struct CpuSearches {
  /// Passes over all nodes and edges for each lane of a vector after which sweeps take longer than searches from one
  /// node at a time. Not measured.
  static constexpr double sweeps_most = 4;
  /// Batches after such a one that are not tried by sweeps. Not measured.
  static constexpr i64 sweeps_left_out = 32;
};

/// Problems over intervals on the CPU (cpu/intervals/).
struct CpuIntervals {
  /// Rows and columns of a part that is closed value by value. Not measured.
  static constexpr i64 close_side = 64;
  /// Splits at a time, and rows and columns of the parts of x, where splits are kept. Not measured.
  static constexpr i64 split_depth = 64, split_rows = 96, split_columns = 128;
  /// Rows and vectors of a register block of splits with weights: of vectors of 64 bytes, of others. Not measured.
  static constexpr int avx512_weighted_rows = 8, weighted_rows = 4, weighted_vectors = 2;
};

/// Products and elimination through OpenBLAS (blas.cpp).
struct Blas {
  /// Elements that parts of a tile are multiples of: as many as OpenBLAS computes at a time, or more. Not measured.
  /// It fixes the bits of results.
  static constexpr i64 cut_step = 64;
};

}  // namespace terrace::recursive::measured
