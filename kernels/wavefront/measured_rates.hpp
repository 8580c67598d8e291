// The measured rates of sweeps, by which their methods are chosen and predicted, each with the machine.
//
// Results never depend on them. tests/benchmarks/RESULTS.md has the sizes, the limits and the commands. "Not
// measured" marks a value of which no figure is recorded. T and G are 10^12 and 10^9 cells a second.
//
// H200: NVIDIA H200, CUDA 13.0, 2026-11-21 to 23. EPYC: AMD EPYC, two threads, AVX2 or AVX-512, 2026-11-21 to 23.
#pragma once

namespace terrace::wavefront::measured {

/// The cost of a cell.
struct CellCost {
  /// Operations of 32 bits that it needs at least, tracking of the best cell included: on a GPU operations of the
  /// narrow pipe (min, max, fused add-max, logic; of the best cell none, since few pieces can have it), on the CPU
  /// all operations on vectors (compare, select, add, max).
  double operations;
  double cells_per_second;  // of one core, or of the GPU
  bool narrows = true;      // a vector of the CPU takes twice as many cells of 16 bits
};

/// Cells of 16 bits, two to a word: their rate over that of cells of 32 bits.
struct PairRates {
  /// H200, smith_waterman with affine gaps: 4.25 T where bands fill the device, 3.39 T in 32 bits. Where the length
  /// of the chain of bands counts: not measured.
  static constexpr double filled = 1.25, in_chain = 0.8;
};

/// Bands of letters and values on a GPU: how many are under way bounds the rate. A scheduler with one warp has half
/// of the rate of one with several, since a step waits for the one before.
struct BandRates {
  /// Schedulers of a multiprocessor, and warps that it holds where bands are of many rows: an H200's.
  static constexpr double schedulers = 4, warps = 8;
  /// Share of the rate with one warp on each scheduler. H200: smith_waterman, affine, of 400,000 letters 1.63 T, of a
  /// million 3.39 T; needleman_wunsch of 300,000 1.79 T, of a million 3.24 T; dtw of 131,072 2.23 T, of a
  /// million 4.47 T. Fewer bands have their share: 50,000 letters 0.59 and 0.64 T.
  static constexpr double one_warp = 0.5;
  /// Share of the rate in values of 64 bits. H200: smith_waterman in i64, 1,200,000 letters, 1.05 T; dtw in f64,
  /// 500,000, 1.06 T.
  static constexpr double wide = 0.27;
  /// Seconds from a band to the next one in a window, before whose columns it cannot begin: 13 pieces of 32 columns
  /// of 1.14 us each, and half a microsecond from warp to warp. Not measured since pieces at the window's edges are
  /// swept like others; before, on an H200, dtw of 2,000,000 with a window of 20,000 took 508 ms, 65 us a band.
  static constexpr double window_step = 1.55e-5;
  /// Cells a second of a band of differences, two words a lane. H200, 1,072,950 letters, 524 bands: edit_distance
  /// 29.3 T, lcs 34.7 T.
  static constexpr double bits = 6.2e10;
};

/// Bytes a second of a kept table on the CPU: memory that nobody has touched. Xeon, two threads, human_mouse.yaml:
/// 516 M cells/s of 4 bytes.
inline constexpr double cpu_table_bytes = 2.5e9;

/// Scores alone in differences, a bit a row.
constexpr CellCost in_bits(double operations_a_word, double cells_per_second) {
  return {operations_a_word / 32, cells_per_second, false};
}

/// A row of the table of costs. The first that fits counts.
struct ProblemCost {
  const char* problem;              // null: any
  const char* variant;              // the parameter that picks it; null: any
  CellCost cpu_table, cpu_score;    // of one core with AVX2, where the table is kept, and where it is not
  CellCost cuda_table, cuda_score;  // of an H200 that bands fill (BandRates)
};

/// Rates that are assumed. Above each row the rates of H200 and EPYC in RESULTS.md, of the EPYC those of both
/// threads.
inline constexpr ProblemCost cell_costs[] = {
    // H200: scores 3.39 T in 32 bits, 4.25 T in 16; tables not measured. EPYC: 20.1 G in 16 bits, 9.1 G in 32.
    {"smith_waterman", "gap_open", {10, 5e9}, {10, 5e9}, {4, 1.5e12}, {3, 3.4e12}},
    // H200: scores 4.86 T in 32 bits, 5.73 T in 16; a kept table of 32768 x 32768 320 G. EPYC: 28.1 G in 16 bits.
    {"smith_waterman", nullptr, {7, 5e9}, {7, 5e9}, {3, 1.5e11}, {2, 4.9e12}},
    // H200, a million letters: 3.24 T; 50,000: 4.27 ms, 0.59 T. EPYC: not measured.
    {"needleman_wunsch", "gap_open", {10, 5e9}, {10, 5e9}, {3, 1.5e12}, {3, 3.5e12}},
    // H200, a million letters: 5.15 T. EPYC: not measured.
    {"needleman_wunsch", nullptr, {6, 5e9}, {6, 5e9}, {2, 1.7e12}, {2, 5.6e12}},
    // H200: scores of a million letters 29.3 T, of four million 29.5 T; tables not measured. EPYC: scores 86.5 G.
    {"edit_distance", nullptr, {4, 1e10}, in_bits(9, 4.2e10), {3, 1.6e11}, in_bits(9, 2.95e13)},
    // H200: scores of a million letters 34.7 T, of four million 68.1 T; tables not measured. EPYC: scores 128 G.
    {"lcs", nullptr, {4, 1e10}, in_bits(6, 6e10), {3, 2.8e12}, in_bits(4, 6.8e13)},
    // H200, f32: a million values 4.47 T, 131,072 1.77 to 2.23 T. EPYC: f32 8.2 G, f64 4.4 G.
    {"dtw", nullptr, {5, 4e9}, {5, 4e9}, {2, 8e11}, {2, 4.8e12}},
    // H200, 32768 x 32768: i32 to i32 422 G, u8 to i32 472 G. EPYC: i32 to i32 2.5 G.
    {"summed_area", nullptr, {2, 1e9}, {2, 1e9}, {2, 4.1e11}, {2, 4.1e11}},
    // Not measured.
    {"integral_histogram", nullptr, {3, 1e9}, {3, 1e9}, {3, 1.9e11}, {3, 1.9e11}},
    // Any other. Not measured.
    {nullptr, nullptr, {4, 5e9}, {4, 5e9}, {3, 1.5e12}, {3, 1.5e12}},
};

/// Kernel tiles in memory (the papers' schedules), of any problem.
struct TileRates {
  /// Cells a second of a core. Not measured.
  static constexpr double cpu = 3e8;
  /// Seconds that a row or a column of the table adds to the way through its anti-diagonals of tiles in shared
  /// memory, and in cache, which is longer than its cells take. H200, smith_waterman of 2^15 x 2^15: 21.6 ms,
  /// and 47.6 to 72.7 ms; of 150,000 x 150,000 in square tiles in cache 272 ms.
  static constexpr double cuda_shared_step = 3.3e-7, cuda_cache_step = 9.3e-7;
};

}  // namespace terrace::wavefront::measured
