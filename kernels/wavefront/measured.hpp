// The measured sizes and thresholds of the wavefront kernels, each with the machine and the rate that it was chosen
// by.
//
// To tune a kernel, change its entry here. Results never depend on these values, except where an entry says so. Rates
// are cells a second (G: 10^9, T: 10^12) or times of the whole kernel; tests/benchmarks/RESULTS.md has the sizes, the
// limits and the commands that repeat them. "Not measured" marks a value of which no figure is recorded.
//
// H200: NVIDIA H200, 132 multiprocessors, CUDA 13.0, 2026-11-21 to 23. EPYC: AMD EPYC, two threads, AVX2 or AVX-512,
// 2026-11-21 to 23. "Genomes" are two of about a million letters, "50,000" their first letters, scores with affine
// gaps. The sizes that plans assume stand in stages/wavefront/measured.hpp.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::wavefront::measured {

using device::i64;

/// Launches of all sweeps in registers on CUDA.
struct CudaLaunches {
  /// Threads of a thread block: a warp for each scheduler of a multiprocessor. Not measured.
  static constexpr int threads = 128;
  /// Warps of a multiprocessor at the registers that the kernels are bounded to. Not measured.
  static constexpr int warps_of_processor = 16;
  /// A block fills the device if it has bands for 1 / `filling_share` of the resident warps. The limit itself is not
  /// measured; on both sides of it, H200, 8 and 32 rows a lane: genomes 461 and 330 ms, dtw of 131,072 x 131,072 7.7
  /// and 17.9 ms.
  static constexpr int filling_share = 5;
  /// Blocks under way at a time, at most. Not measured.
  static constexpr i64 most_slots = 16;
  /// The same where blocks are narrow. Not measured.
  static constexpr i64 most_narrow_slots = 64;
  /// Columns that a band is behind the band above it, about, where slots are counted. Not measured.
  static constexpr i64 columns_behind = 128;
  /// Slots of a sweep in strips. Not measured.
  static constexpr i64 strip_slots = 4;
};

/// Letters and values cell by cell on CUDA (cuda/letters/).
struct CudaLetters {
  /// Rows of a lane where bands fill the device. H200, genomes, 32 bits: 3.39 T; with 8 rows 2.43 T.
  static constexpr int many_rows = 32;
  /// Rows of a lane where the length of the chain of bands counts.
  /// H200, dtw f32 of 131,072 x 131,072: 2.23 T; with 32 rows 0.96 T.
  static constexpr int few_rows = 8;
  /// Rows of a lane where tables or lines are kept, values have 64 bits, or each scheduler has one band of affine
  /// gaps. H200: 50,000 in 3.92 ms, with 8 rows 4.87 ms; a kept table of 32768 x 32768 in 3.36 ms.
  static constexpr int fewest_rows = 4;
  /// Bands of `fewest_rows` that a multiprocessor may have where affine gaps take so few rows: one a scheduler.
  /// H200: see `fewest_rows`; linear gaps took 4.06 ms so, and 3.75 ms with 8 rows.
  static constexpr i64 lone_bands_of_processor = 4;
  /// Columns of a step. H200, genomes, 32 rows: 421 ms, with 4 columns 503 ms (both before later changes).
  static constexpr int columns = 2;
  /// The same with `fewest_rows`. H200, 50,000: 4.0 ms; with two columns 4.3 ms.
  static constexpr int columns_of_fewest_rows = 1;
  /// The same of values with `few_rows`. H200, dtw f32: 7.6 ms; with two columns 7.9 ms.
  static constexpr int columns_of_values = 4;
  /// Bytes of a lane's rows above which a courier serves two sweeping warps, for registers.
  /// H200, genomes, 32 rows of 32 bits: 341 ms with one courier for two warps; one for each not measured.
  static constexpr int most_lane_bytes_of_courier = 64;
  /// Thread blocks of a multiprocessor, where tables are kept and else. Not measured.
  static constexpr int table_blocks = 8, blocks = 2;
  /// Tables of values of 32 bits are stored by warps of their own (cuda/letters/table_ring.cuh); if false, by the
  /// sweeping warp, as those of 64 bits. H200, a trial kernel, i32 table of 32768 x 32768: 2.66 ms, where the
  /// sweeping warp took 3.46 ms.
  static constexpr bool tables_have_storer = true;
  /// Pieces of 32 columns that its ring holds, 16 KiB each: two are swept, the others are stored meanwhile. Thread
  /// blocks of a multiprocessor for which that leaves room. Not measured.
  static constexpr int table_pieces = 4, storer_blocks = 3;
  /// Pieces of 32 columns that the ring in shared memory holds. Not measured.
  static constexpr int ring_pieces = 8;
  /// Cells of a lane in one turn of the unrolled loop over a piece, at most; steps of a turn are at least one and at
  /// most `most_unrolled`.
  /// H200, dtw: 10.6 ms; a whole piece unrolled 10.7 ms (squared cost 11.3 and 11.9 ms).
  static constexpr int unrolled_cells = 64, most_unrolled = 8;
};

/// Local alignments in 16 bits on CUDA, two cells to a word (cuda/pairs/).
struct CudaPairs {
  /// Words of a lane. H200, genomes: 270 ms (4.25 T in the end); 8 words and 16 warps a multiprocessor 337 ms,
  /// 12 words and 12 warps 321 ms.
  static constexpr int words = 16;
  /// Thread blocks of a multiprocessor: 8 warps. H200: see `words`.
  static constexpr int blocks = 2;
  /// Pieces of 32 columns that the ring in shared memory holds. Not measured.
  static constexpr int ring_pieces = 4;
  /// Steps before a piece's end at which the next one is asked for. Not measured.
  static constexpr int steps_ahead = 8;
  /// Pairs of columns in one turn of the loop without edges. Not measured.
  static constexpr int unrolled = 2;
};

/// Bit-parallel scores on CUDA (cuda/bits/).
struct CudaBits {
  /// Columns of a step. H200, edit_distance of the genomes: 42.6 ms; a trial kernel took 44.0 ms with two columns,
  /// 41.5 ms with four, 42.4 ms with eight.
  static constexpr int step_columns = 4;
  /// Steps ahead of which letters are read. Not measured.
  static constexpr int steps_ahead = 2;
  /// Bands of two words a lane that a multiprocessor must have for two words a lane: one a scheduler.
  /// H200, genomes: edit_distance 29.3 T with two words, 26.3 T with one; lcs 34.7 and 30.5 T.
  static constexpr i64 wide_bands_of_processor = 4;
};

/// Integer sums over areas on CUDA, in strips of columns (cuda/sums/strip_*.cuh).
struct CudaStrips {
  /// Columns of a strip: four a lane. Not measured.
  static constexpr int columns = 128;
  /// Warps of a thread block, which takes a strip. H200, i32, a trial kernel: 2.39 to 2.92 ms with 8 warps, 3.6 ms
  /// with 4, 3.4 ms with 16.
  static constexpr int warps = 8;
  /// Strips whose totals are looked up one by one before a carry stands for them. H200, i32: 2.63 ms with 8, 2.92 ms
  /// with 16.
  static constexpr int group = 8;
  /// Rows of a warp: of grids of 64 bits; of 8 or 16 bits to sums of 32; of any other.
  /// H200, 32768 x 32768: u8 to i32 472 G, i32 to i32 422 G. Of 64-bit grids not measured.
  static constexpr int rows_of_wide = 4, rows_of_narrow = 16, rows = 8;
  /// Marks of four columns in one word, while they are added up within a batch (cuda/sums/mark_sums.cuh); if false, a
  /// word each. Not measured.
  static constexpr bool packs_marks = true;
  /// Blocks of several layers under way at a time, as many as fill the device; if false, one block after another. Not
  /// measured.
  static constexpr bool layers_overlap = true;
  /// Thread blocks that a multiprocessor holds. Not measured.
  static constexpr int blocks = 2;
};

/// Sums over areas that keep an order, on CUDA: floating point, and checked sums of 64 bits (cuda/sums/kernel.cuh).
struct CudaOrderedSums {
  /// Rows of a band, in f32; in f64 and i64. Not measured.
  static constexpr int f32_rows = 16, wide_rows = 8;
  /// Columns that a lane holds of a piece. Not measured.
  static constexpr int lane_columns = 4;
  /// Columns that are added up in order at a time. Not measured.
  static constexpr int ordered_columns = 32;
  /// Thread blocks of one warp that a multiprocessor holds. Not measured.
  static constexpr int blocks = 16;
};

/// Walks back through codes on CUDA (cuda/trace/).
struct CudaTrace {
  /// Columns before a piece's end at which the next one is asked for. Not measured.
  static constexpr int columns_ahead = 8;
  /// Steps of a band whose codes the walking warp holds in shared memory. Not measured.
  static constexpr int held_steps = 192;
};

/// The papers' schedules on CUDA: kernel tiles in memory (cuda/papers/).
struct CudaTiles {
  /// Bytes of a row of anti-diagonals that wait in shared memory for their places in a kept table. Not measured.
  static constexpr int kept_bytes = 48;
  /// Blocks under way at a time, at most. Not measured.
  static constexpr i64 most_slots = 16;
  /// Columns of the part of a table on which the width of flexible tiles is measured, and the two widths tried.
  /// H200, 2^15 x 2^15: the model then chose a width of 47.5 ms; of those tried by hand 128 was best with 47.5 ms.
  static constexpr i64 trial_columns = 3072, trial_narrow = 64, trial_wide = 512;
  /// The narrowest tile that a flexible width gives. H200, 2^15 x 2^15: 51.2 ms with 32, 47.5 ms with 128.
  static constexpr i64 least_width = 32;
  /// Rows of the largest tile in cache: a thread each. The papers' size.
  static constexpr i64 most_height = 1024;
  /// Cores of a multiprocessor and bytes of shared memory, from which the tile in shared memory follows: 128 rows.
  /// H200, 2^15 x 2^15: 21.6 ms, where tiles of 1024 in cache take 64.2 ms.
  static constexpr i64 cores = 128, shared_bytes = 48 << 10;
};

/// Letters and values on the CPU (cpu/letters/).
struct CpuLetters {
  /// Steps from one look at the neighbours to the next. EPYC, smith_waterman with affine gaps: 20.1 G; other sizes
  /// not recorded.
  static constexpr i64 chunk_steps = 64;
  /// The same where chunks are also turned from one type to another. EPYC: bytes 16 G a second of processor time;
  /// other sizes not recorded.
  static constexpr i64 most_chunk_steps = 128;
  /// Steps at a time with every H kept, so that they stay in the first-level cache. Not measured.
  static constexpr i64 kept_steps = 16;
  /// Rows of a lane, least and most. Not measured.
  static constexpr i64 least_lane_rows = 4, most_lane_rows = 24;
  /// Pairs of letters that may still be matched in a narrow type; where there is less room, it is not tried. Not
  /// measured.
  static constexpr i64 room_in_narrow = 8;
};

/// Sums over areas on the CPU (cpu/sums/).
struct CpuSums {
  /// Rows of a band, at most. EPYC, i32 to i32, 8192 x 8192: 2.5 G, 79% of a copy; other sizes not recorded.
  static constexpr i64 most_band_rows = 32;
  /// Columns at a time, so that H of the row above stays in the first-level cache. EPYC: see `most_band_rows`.
  static constexpr i64 chunk_columns = 2048;
  /// Rows that a kernel adds up at once. EPYC: see `most_band_rows`.
  static constexpr int rows_at_once = 4;
};

/// The papers' schedules on the CPU (cpu/papers/tiles.cpp).
struct CpuTiles {
  /// Rows of the largest tile: its rows of values stay in the first-level cache. Not measured.
  static constexpr i64 most_height = 256;
  /// Nominal seconds of a cell, and of a look at the neighbour's progress. Not measured.
  static constexpr double cell_seconds = 1e-9, synchronisation_seconds = 1e-6;
};

/// The greedy search for a score that some alignment reaches (greedy_score.cpp), on the host. The score that it finds
/// depends on these values; the result of a sweep does not.
struct GreedyScore {
  /// Letters of a word: of a pair of sequences with one difference in 16 letters, every third word of one is in the
  /// other; of unrelated ones, a word of a million letters of DNA is in a million letters by chance once in 4000
  /// times. Not measured.
  static constexpr int word_letters = 16;
  /// Words of the rows that are looked for. One core, a million letters: 4.8 ms with 1% of mutations, 39 ms with 6%.
  static constexpr int most_words = 4096;
  /// Letters of rows and columns that a diagonal may be behind the furthest. See `most_words`.
  static constexpr i64 most_behind = 512;
};

/// Limits of alignments by exact matches of seeds (seed_limits.cpp), on the host. They change which cells are left
/// out, not the result.
struct SeedLimits {
  /// Letters of a seed: short ones are free of differences more often, and occur by chance more often. Not measured.
  static constexpr i64 least_letters = 4, most_letters = 32;
  /// Diagonals on which a seed should not occur by chance, at least. Not measured.
  static constexpr i64 least_words = 8192;
  /// Buckets that a path reaches in a group without a cost above its seeds, and the least diagonals of a bucket. Not
  /// measured.
  static constexpr i64 reach = 8, least_bucket = 4;
  /// Bounds of all groups and buckets, about. Not measured.
  static constexpr i64 most_bounds = 2 << 20;
  /// Groups that are worth a bound. Not measured.
  static constexpr i64 least_groups = 4;
  /// Slots of the index of the columns, as a power of 2, at most. Not measured.
  static constexpr int most_slots = 22;
  /// Places of a seed in the band, and ranges of a seed on average, above which it counts as matched everywhere. Not
  /// measured.
  static constexpr i64 most_places = 16, most_ranges = 4;
  /// Rows or columns, at most: bounds are in 32 bits. Not measured.
  static constexpr i64 most_side = i64{1} << 29;
};

}  // namespace terrace::wavefront::measured
