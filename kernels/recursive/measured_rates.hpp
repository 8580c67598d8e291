// The measured rates of updates of tiles and of problems over intervals, by which their methods are chosen and
// predicted, each with the machine.
//
// Results never depend on them. tests/benchmarks/RESULTS.md has the sizes, the limits and the commands. "Not
// measured" marks a value of which no figure is recorded. T and G are 10^12 and 10^9 updates of an element a second,
// of problems over intervals splits.
//
// H200: NVIDIA H200, CUDA 13.0, 2026-11-21 to 23. EPYC: AMD EPYC, AVX2 or AVX-512, 2026-11-21 to 23.
#pragma once

#include <optional>

#include "pipeline/base/element_type.hpp"

namespace terrace::recursive::measured {

/// A row of the table of updates: a type, and what a core with AVX2 and an H200 compute of it a second.
struct UpdateRate {
  std::optional<ElementType> type;  // nullopt: any other
  double cpu, cuda;
};

/// Updates by minima of sums. The first row that fits counts. Above each row the rates of H200 and EPYC in
/// RESULTS.md, of the EPYC those of a core.
inline constexpr UpdateRate update_rates[] = {
    // H200: min_plus of 16384 31.5 T. EPYC: floyd_warshall of 2048 46.1 G.
    {ElementType::i16, 4.5e10, 2.5e13},
    // H200: min_plus of 16384 17.9 T. EPYC: floyd_warshall of 2048 24.1 G.
    {ElementType::i32, 3e10, 1.5e13},
    // H200: min_plus of 16384 17.0 T, floyd_warshall 14.6 T. EPYC: floyd_warshall of 2048 15.5 G, min_plus 19.4 G.
    {ElementType::f32, 2e10, 1.4e13},
    // H200: min_plus of 16384 2.24 T, floyd_warshall of 8192 1.87 T. EPYC: floyd_warshall of 2048 7.7 G, min_plus 9.5
    // G.
    {ElementType::f64, 9e9, 2e12},
    // i64: H200: min_plus of 16384 3.14 T. EPYC: floyd_warshall of 2048 5.6 G.
    {std::nullopt, 7e9, 2.5e12},
};

/// Sums of products, as shares of the limit by multiply-adds (costs.cpp).
struct ProductShares {
  /// By OpenBLAS. EPYC, AVX-512, 4096: f32 91%, f64 80%.
  static constexpr double cpu = 0.8;
  /// By cuBLAS, of tiles without end. H200, 16384: f32 26.9 T of 33 T, 82%; 8192: f32 25.5 T, f64 24.8 T, 75%; in
  /// tiles of 2000 f32 16.8 T, of 2048 f64 15.8 T, 51 and 48%.
  static constexpr double cuda_blas = 0.9;
  /// By our own kernel. H200, 16384: f32 23.2 T of 33 T, 70%.
  static constexpr double cuda = 0.78;
  /// Sides of tiles that take as long on a GPU to begin and to end as their products, and in eliminations with the
  /// panels before them. H200: by the figures above and below.
  static constexpr double cuda_begin = 1500, cuda_panels = 3000;
};

/// The rate of products without a sum on a GPU, as of the minimum of two in place of their sum, over that of sums,
/// which have a pipe of their own. H200, f32 of 16384: max_min 7.5 T, min_plus 15.4 to 17.0 T.
inline constexpr double cuda_select_share = 0.5;

/// Other rates of the family.
struct OtherRates {
  /// Elimination on an H200, in f32 and other types, of tiles without end. H200, 16384, tiles of 4096: f32 9.26 T by
  /// our own products, 9.70 T by cuBLAS; f64 5.81 and 7.51 T; 20000, tiles of 2224: f32 5.9 T.
  static constexpr double cuda_elimination_f32 = 1.6e13, cuda_elimination = 1e13;
  /// Relaxations of distances in the time of one with its path. H200, f32 of 16384: 15.5 T without paths, 8.24 T with
  /// them, 1.9; i32 16.3 and 8.32 T, 2.0. EPYC: not measured.
  static constexpr double cpu_paths_cost = 6, cuda_paths_cost = 1.7;
  /// Cells of a closure of bits: of a core, and of a GPU. H200: 1,940 T of 65536 nodes, a product 2,691 T.
  /// EPYC, 2026-11-28, 7937 nodes: 0.46 T on two threads, while other programs took about half of them.
  static constexpr double cpu_bits = 5e11, cuda_bits = 1.9e15;
  /// Pairs of cells that are counted: of a core, and of a GPU. H200: not measured; that of a closure of bits, by the
  /// same instructions. EPYC, 2026-12-01, 4096 nodes: 325 G, while other programs took most of both cores.
  static constexpr double cpu_counts = 3.2e11, cuda_counts = 1.9e15;
  /// Splits on the CPU in the time of an update: parts of a triangle are few at its ends. EPYC, 2026-11-28, 3600 to
  /// 4800 nodes, beside updates in the same minutes.
  static constexpr double cpu_splits = 0.3;
  /// Splits of an H200 in tables of 16384 nodes, in i32, i16 and other types. H200, tiles of 2048: matrix_chain i32
  /// 2399 G, f64 1485 G, nussinov i16 2099 G; before a part was closed in pieces with fewer branches 2138, 1178 and
  /// 1869 G.
  static constexpr double cuda_splits_i32 = 2.4e12, cuda_splits_i16 = 2.1e12, cuda_splits = 1.1e12;
};

/// Searches of a core: edges a second that searches pass, and nodes a second of which they give distances, each
/// counted once a source. All by seconds of cores on a graph of 10,000 nodes and 40,000 edges, while other programs
/// took most of both cores of an EPYC with AVX2, 2026-11-30.
struct SearchRates {
  /// EPYC: i32 0.9 s.
  static constexpr double levels_edges = 1e9, levels_nodes = 2e8;
  /// EPYC: i32 4.0 s.
  static constexpr double sweeps_edges = 1.2e8, sweeps_nodes = 1.2e8;
  /// Share of these with sums of 64 bits. EPYC: f64 7.0 s.
  static constexpr double sweeps_wide = 0.55;
  /// EPYC: i32 with paths 6.5 s.
  static constexpr double breadth_edges = 8e7, breadth_nodes = 6e7;
  /// EPYC: i32 with paths 24 s.
  static constexpr double nearest_edges = 2.5e7, nearest_nodes = 1.2e7;
};

}  // namespace terrace::recursive::measured
