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

/// Scores alone in differences, a bit a row.
constexpr CellCost in_bits(double operations_a_word, double cells_per_second) {
  return {operations_a_word / 32, cells_per_second, false};
}

/// A row of the table of costs. The first that fits counts.
struct ProblemCost {
  const char* problem;              // null: any
  const char* variant;              // the parameter that picks it; null: any
  CellCost cpu_table, cpu_score;    // of one core with AVX2, where the table is kept, and where it is not
  CellCost cuda_table, cuda_score;  // of an H200
};

/// Rates that are assumed. Above each row the rates of H200 and EPYC in RESULTS.md, of the EPYC those of both
/// threads.
inline constexpr ProblemCost cell_costs[] = {
    // H200: scores 3.39 T in 32 bits, 4.25 T in 16; tables not measured. EPYC: 20.1 G in 16 bits, 9.1 G in 32.
    {"smith_waterman", "gap_open", {10, 5e9}, {10, 5e9}, {4, 1.5e12}, {3, 2.7e12}},
    // H200: scores 4.86 T in 32 bits, 5.73 T in 16; a kept table of 32768 x 32768 320 G. EPYC: 28.1 G in 16 bits.
    {"smith_waterman", nullptr, {7, 5e9}, {7, 5e9}, {3, 1.5e11}, {2, 4e12}},
    // Not measured, save H200, 50,000 x 50,000: 4.27 ms, 0.59 T.
    {"needleman_wunsch", "gap_open", {10, 5e9}, {10, 5e9}, {3, 1.5e12}, {3, 1.5e12}},
    // Not measured.
    {"needleman_wunsch", nullptr, {6, 5e9}, {6, 5e9}, {2, 1.7e12}, {2, 1.7e12}},
    // H200: scores 29.3 T; tables not measured. EPYC: scores 86.5 G.
    {"edit_distance", nullptr, {4, 1e10}, in_bits(9, 3.5e10), {3, 1.6e11}, in_bits(9, 2.25e13)},
    // H200: scores 34.7 T; tables not measured. EPYC: scores 128 G.
    {"lcs", nullptr, {4, 1e10}, in_bits(6, 6e10), {3, 2.8e12}, in_bits(4, 2.6e13)},
    // H200, 131,072 x 131,072, f32: 1.77 to 2.23 T. EPYC: f32 8.2 G, f64 4.4 G.
    {"dtw", nullptr, {5, 4e9}, {5, 4e9}, {2, 8e11}, {2, 1.3e12}},
    // H200, 32768 x 32768: i32 to i32 422 G, u8 to i32 472 G. EPYC: i32 to i32 2.5 G.
    {"summed_area", nullptr, {2, 1e9}, {2, 1e9}, {2, 4.1e11}, {2, 4.1e11}},
    // Not measured.
    {"integral_histogram", nullptr, {3, 1e9}, {3, 1e9}, {3, 1.9e11}, {3, 1.9e11}},
    // Any other. Not measured.
    {nullptr, nullptr, {4, 5e9}, {4, 5e9}, {3, 1.5e12}, {3, 1.5e12}},
};

/// Kernel tiles in memory (the papers' schedules), of large tables of any problem, in cells a second.
struct TileRates {
  /// Rate of a core. Not measured.
  static constexpr double cpu = 3e8;
  /// Tiles in shared memory, and in cache. H200, smith_waterman of 2^15 x 2^15: 21.6 ms, 50 G, and 47.6 to 72.7 ms,
  /// 15 to 23 G.
  static constexpr double cuda_shared = 5e10, cuda_cache = 2e10;
};

}  // namespace terrace::wavefront::measured
