// The measured rates and sizes that plans of the wavefront stage assume, each with the machine and the rate that it
// was chosen by.
//
// Rates are for predictions: results never depend on them. Sizes shape blocks, and are recorded among the choices of
// a stage, so that a change does not touch runs that are under way. tests/benchmarks/RESULTS.md has the sizes, the
// limits and the commands. "Not measured" marks a value of which no figure is recorded. T and G are 10^12 and 10^9
// cells a second.
//
// H200: NVIDIA H200, CUDA 13.0, 2026-11-21 to 23. EPYC: AMD EPYC, two threads, AVX2 or AVX-512, 2026-11-21 to 23.
// Sizes and rates of the sweeps themselves stand in kernels/wavefront (measured.hpp, measured_rates.hpp).
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// The cost of a way back: a walk cell by cell, and the start and end of a block.
struct WalkCost {
  double cells_per_second, block_seconds;
};
/// Cell by cell on two threads. EPYC: measured, figure not recorded.
inline constexpr WalkCost cpu_walk{1.5e8, 1.3e-4};
/// In differences, by one thread. Not measured.
inline constexpr WalkCost cpu_bit_walk{1e10, 1.3e-4};
/// Large boxes, by the length of their chain of steps. H200, genomes: 200 ms in 90 blocks; needleman_wunsch of
/// 300,000 random letters: 290 ms in 37 blocks, beside the table's.
inline constexpr WalkCost cuda_walk{1e11, 4.5e-3};
/// Cells side by side, with the host's time between launches. H200, a million letters: 34 walks 74 ms, the host
/// between them 40 ms.
inline constexpr WalkCost cuda_bit_walk{8e10, 1e-3};
/// Seconds of a block of strips on a GPU, beside its cells. H200: summed_area, 320 x 20000 of u8, 63 blocks 6.3 ms;
/// integral_histogram of 4096 x 4096 with 16 bins, 32 blocks 6.6 ms.
inline constexpr double strip_block_seconds = 1.1e-4;
/// Seconds of a block between kept lines on the CPU. EPYC: measured, figure not recorded.
inline constexpr double kept_part_seconds = 2e-6;

/// Blocks of a table (blocks.cpp).
struct BlockSizes {
  /// Bytes of the table in one block, on the CPU: more of it only means that more memory is touched for the first
  /// time. EPYC, a table of smith_waterman: 1.02 s of processor time; with 64 MiB 2.35 s.
  static constexpr std::int64_t most_table_bytes_cpu = 32 << 20;
  /// The same on CUDA: beyond that disks and links get no faster. H200, tables of 17.2 GB to disk at 2.4 to 2.7 GB/s;
  /// other sizes not recorded.
  static constexpr std::int64_t most_table_bytes_cuda = 64 << 20;
  /// Rows and columns: blocks that are lower or narrower are mostly border. Not measured.
  static constexpr std::int64_t least_side = 64;
  /// Strips of a table that is not kept: each reads and writes a border. Not measured.
  static constexpr std::int64_t most_strips = 64;
  /// Columns of a strip that is worth its borders, and on a GPU the wait until all its bands are under way. H200,
  /// genomes, 32 bits: 330 ms in one strip, 363 ms in eight, so that a strip is soon done all the same.
  static constexpr std::int64_t least_strip_cpu = 16384, least_strip_cuda = 1 << 20;
  /// Rows of a band on a GPU: a band at a block's lower edge that is not full is slow. Not measured.
  static constexpr std::int64_t band_rows = 1024;
  /// Parts of a block between kept lines. Not measured.
  static constexpr std::int64_t most_parts = 4096;
  /// Blocks in flight at a time in one launch: enough that the next has begun when one ends. Not measured.
  static constexpr std::int64_t in_flight = 3;
};

/// Strips of a table that are dealt to devices (dealing.cpp).
struct StripSizes {
  /// Rows of a band, and bands that a multiprocessor works on at a time. H200: the kernels' own.
  static constexpr std::int64_t band_rows = 1024, bands_of_processor = 8;
  /// Columns that a band is behind the band above it: a strip takes as long as its bands begin one after another.
  /// H200, genomes, 977 bands: 330 ms in one strip, 363 ms in eight of 131,072 columns.
  static constexpr double columns_behind = 150;
  /// Blocks of the bands that are under way at a time, and blocks of a strip that may be fed at a time. Not measured.
  static constexpr std::int64_t blocks_under_way = 8, in_flight = 16;
  /// Columns that a strip's width is a multiple of. Not measured.
  static constexpr std::int64_t step_columns = 64;
  /// Strips of a device, at most. Not measured.
  static constexpr std::int64_t most_turns = 64;
  /// Cells from which further devices are opened: to open one takes 0.3 s, in which an H200 computes so many.
  static constexpr double least_cells = 1e12;
};

/// Bands of diagonals that widen (widening.cpp).
struct BandSizes {
  /// Rows and columns of tables that are worth more than one sweep. Not measured.
  static constexpr std::int64_t least_side = 4096;
  /// Margin of the first band, about the height that a kernel of the CPU computes together. Not measured.
  static constexpr std::int64_t least_margin = 256;
  /// Part of the shorter side that the first margin is: the cost of the first sweep is lost in the last. Not
  /// measured.
  static constexpr std::int64_t first_share = 2048;
  /// Growth of the margin from sweep to sweep. Not measured.
  static constexpr std::int64_t growth = 4;
  /// A sweep to look for a better alignment must be this many times cheaper than the proof. Not measured.
  static constexpr std::int64_t lead = 8;
  /// Share of the table's cells above which a band is not worth its edges. Not measured.
  static constexpr double largest_share = 0.9;
  /// Letters for each difference, at least, where limits of seeds are looked for. Not measured.
  static constexpr std::int64_t least_alike = 6;
  /// Limits of seeds must leave this many times fewer cells than the band that comes next. Not measured.
  static constexpr double limits_lead = 1.25;
  /// Bands that give every scheduler of a GPU a warp: schedulers of a multiprocessor, and rows of a warp. H200, a
  /// million letters: the narrowest band that fills the device takes 67 to 69 ms, every cell 68 ms.
  static constexpr std::int64_t schedulers = 4, rows_of_warp = 1024;
};

/// The way back cell by cell (alignment/levels.cpp).
struct LevelSizes {
  /// Borders of the table that are kept, each way. Not measured.
  static constexpr std::int64_t most_kept = 64;
  /// Rows and columns of any cell. Not measured.
  static constexpr std::int64_t least_side = 64;
  /// Bytes of the borders inside one box, where it may be cut again. Not measured.
  static constexpr std::int64_t most_level_bytes = 64 << 20;
  /// Bytes of the codes of a walk on a GPU: a box is as fast as its chain of steps, however large it is, so few boxes
  /// are best. H200, genomes: 200 ms in 90 blocks; other sizes not recorded.
  static constexpr std::int64_t most_code_bytes = 512 << 20;
  /// Rows and columns of a walk's cell, and of the table's cells, on the CPU. EPYC, 300,000 letters 1% apart: 4.4 s,
  /// 100 blocks of boxes; before boxes were swept whole 6.4 s and 15,909 blocks.
  static constexpr std::int64_t cpu_cell_rows = 256, cpu_cell_columns = 512, cpu_table_rows = 4096,
                                cpu_table_columns = 8192;
  /// Rows and columns of the table's cells on a GPU. H200, genomes: the table 325 ms with borders kept; other sizes
  /// not recorded.
  static constexpr std::int64_t cuda_table_side = 16384;
};

/// The way back in differences (alignment/bit_cut.cpp).
struct BitCutSizes {
  /// Lines that are kept, each way. Not measured.
  static constexpr std::int64_t most_lines = 1024;
  /// Side of a cell on the CPU, at least: the ways through it fill a cache. Not measured.
  static constexpr std::int64_t cpu_cell = 2048;
  /// Rows and columns of a block on the CPU: of many cells, since something is lost at the edges. Not measured.
  static constexpr std::int64_t cpu_block_rows = 65536, cpu_block_columns = 16384;
  /// Side of a cell on a GPU, at least. H200, a million letters 1% apart: lines kept every 4096 rows and columns 46
  /// ms, none 39.9 ms; with one cell of 8192 x 8192 a launch the alignment took 400 ms.
  static constexpr std::int64_t cuda_cell = 4096;
  /// Cells of a walk, whose ways are computed side by side, and the columns of a cell from which there are so many.
  /// H200, 4,600,000 letters: 792 to 867 ms; with one cell a launch 1.83 s.
  static constexpr std::int64_t cells_of_walk = 16, walked_together_columns = 1024;
};

}  // namespace terrace::stages::measured
