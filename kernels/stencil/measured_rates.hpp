// The measured rates of the methods of stencils, each with the machine: by them methods are chosen and predicted.
//
// Results never depend on them. "Not measured" marks a value of which no figure is recorded.
// tests/benchmarks/RESULTS.md has the rates, the limits and the commands that repeat them. Sizes of the kernels stand
// in measured.hpp.
#pragma once

namespace terrace::stencil::measured {

/// A rate at a radius, in Gcell/s. f64 0: half of f32.
struct RadiusRate {
  int radius;  // 0: no entry
  double f32, f64 = 0;
};

/// The rates of an operator. cost_by() (costs.hpp) finds others from them.
struct OperatorRates {
  const char*
      name;  // of the operator; "separable": a box as the sum of sums; "": any other, multiply-adds by its row
  RadiusRate at[6];  // radii ascend
};

/// Sums whose rows stream through registers, several steps at a time (cuda/rows/). H100, 16384 x 16384.
inline constexpr OperatorRates cuda_row_rates[] = {
    // H100, 2026-11-27. Radius 7 of f32: 570.
    {"star2d", {{1, 4170, 2000}, {2, 2260, 1050}, {3, 1440, 660}, {4, 1170, 529}, {5, 916}, {8, 597}}},
    // H100, 2026-11-27; f64 of radius 4 2026-11-26. f32 has no such kernel of radius 4.
    {"box2d", {{1, 2580, 1250}, {2, 970, 479}, {3, 490, 252}, {4, 270, 151}}},
    // H100, 2026-11-27; f64 of radius 2, 4 and 6 2026-11-26.
    {"separable", {{1, 3590, 1740}, {2, 2050, 929}, {3, 1360, 615}, {4, 1100, 495}, {6, 715, 315}, {8, 517}}},
};

/// Large boxes, term by term (cuda/wide/). H100, 16384 x 16384, 2026-11-27.
inline constexpr OperatorRates cuda_box_term_rates[] = {
    // H100, see above.
    {"box2d", {{4, 300, 149}, {5, 213, 98}, {6, 154, 73}, {7, 111, 54}, {8, 91, 43}}},
};

/// Large boxes of f64 by matrix products (cuda/wide/products.cuh); of f32 there are none. H100, see below.
inline constexpr OperatorRates cuda_box_product_rates[] = {
    // H100, 16384 x 16384, 2026-11-27.
    {"box2d", {{4, 0, 167}, {5, 0, 109}, {6, 0, 98}, {7, 0, 74}, {8, 0, 66}}},
};

/// Formulas of radius 1 in two dimensions whose rows stream through registers (cuda/rows/). H100, 8192 x 8192.
inline constexpr OperatorRates cuda_formula_row_rates[] = {
    // H200, 2026-11-28: heat2d, wave2d, fdtd2d, Gray and Scott as formulas 22, 16.6, 12.3, 17.2 T; heat2d in f64 10
    // T.
    {"formula", {{1, 16500, 9000}}},
    // H200, 2026-11-28, `edge` faces; f64 not measured: half.
    {"star2d", {{1, 3240}}},
    // H200, alike.
    {"box2d", {{1, 1850}}},
    // H100, 2026-11-27.
    {"heat2d", {{1, 2930, 1440}}},
    // H100, alike.
    {"wave2d", {{1, 1690, 818}}},
    // H100, alike.
    {"fdtd2d", {{1, 1100, 344}}},
    // H100, alike.
    {"hotspot", {{1, 628, 345}}},
};

/// Updates in three dimensions whose planes stream through registers (cuda/planes/). H100, 1024 x 512 x 512.
inline constexpr OperatorRates cuda_plane_rates[] = {
    // H200, 2026-11-28: heat3d as a formula of 9 operations; f64 not measured: half.
    {"formula", {{1, 10300, 5150}}},
    // H100, 2026-11-27; radius 2 H200, 2026-11-28, 512 x 512 x 512.
    {"star3d", {{1, 869, 566}, {2, 555}}},
    // H100, alike.
    {"box3d", {{1, 511, 269}}},
    // H200, 2026-11-28, 512 x 512 x 512; H100 1010 and 509.
    {"heat3d", {{1, 1130, 560}}},
    // H200, 2026-11-28, 512 x 512 x 512; H100 236 and 118.
    {"wave3d", {{1, 314, 157}}},
};

/// The levels from which on formulas that a job writes have these rates. H100, heat3d in f64: four 509 G cells/s,
/// three 477.
inline constexpr int full_plane_levels = 3;

/// The same of formulas that a job writes with fewer levels. Not measured.
inline constexpr OperatorRates cuda_plane_rates_of_few_levels[] = {
    // Not measured: the operations of wave3d on an H200.
    {"formula", {{1, 2830, 1410}}},
};

/// One step of any stencil on CUDA (cuda/steps/). H200, 16384 x 16384, 1024 x 512 x 512 and, of formulas, 8192 x
/// 8192.
inline constexpr OperatorRates cuda_step_rates[] = {
    // H200, 2026-11-28: heat3d as a formula of 9 operations, 312 G cells/s; f64 not measured: half.
    {"formula", {{1, 2800, 1400}}},
    // H200. f32 of radius 5 and 8: not measured.
    {"star2d", {{1, 220, 180}, {5, 140, 81}, {8, 91, 53}}},
    // H200, alike. f64 of radius 4 and 8: not measured.
    {"box2d", {{1, 160, 140}, {2, 73, 67}, {4, 24}, {8, 7}}},
    // H200, alike, f32.
    {"separable", {{1, 150}, {3, 61}}},
    // H200, 2026-11-28, 2^26 cells, f32.
    {"star1d", {{1, 183}}},
    // H200, alike.
    {"star3d", {{1, 170, 150}}},
    // H200, alike.
    {"box3d", {{1, 66, 59}}},
    // H200, 2026-11-28, by stages with arrays and with other faces; f64 not measured: half.
    {"heat3d", {{1, 220}}},
    // H200, alike.
    {"heat2d", {{1, 330, 160}}},
    // H200, alike.
    {"wave2d", {{1, 170, 100}}},
    // H200, alike.
    {"fdtd2d", {{1, 83, 59}}},
    // H200, alike.
    {"hotspot", {{1, 170, 130}}},
    // H200, 2026-11-28: `offsets` with three terms 267; f64 not measured.
    {"", {{1, 800, 640}}},
};

/// Schedule::overlapped. H200, see below.
inline constexpr OperatorRates cuda_overlapped_rates[] = {
    // H200, 8192 x 8192, f32.
    {"star2d", {{1, 305}}},
    // Not measured.
    {"", {{1, 1500}}},
};

/// Schedule::time_skewed. H200, see below.
inline constexpr OperatorRates cuda_skewed_rates[] = {
    // H200, 8192 x 8192, f32, tiles of 64 x 32.
    {"star2d", {{1, 20}, {4, 12}}},
    // Not measured.
    {"", {{1, 100}}},
};

/// Both threads of a CPU. EPYC, tests/benchmarks/RESULTS.md.
inline constexpr OperatorRates cpu_rates[] = {
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

/// Seconds of a line of the last axis beside its cells, whose ends are made one by one, and the cells of a line with
/// which the rates above were measured, in two and in three dimensions. Busy EPYC and Xeon, 2026-11-28, star2d of
/// rows of 64 cells and heat3d of rows of 12: 130 to 180 ns of a thread.
inline constexpr double cpu_line_seconds = 6.5e-8, cpu_line = 8192, cpu_line_of_volume = 512;
/// Bytes a second of constant arrays that steps read from caches. Xeon, 16 threads, 2026-11-28: star2d with a
/// mask 1.6 times, in f64 with a source 1.8 times as long as without.
inline constexpr double cpu_array_bytes = 1e11;

/// Operations of formulas that a job writes, in G a second, computed over strips by both threads of a CPU.
struct StripRate {
  double f32, f64;
};

/// EPYC with AVX-512, 2026-11-28, heat2d as 7 operations, 2048 x 2048 (8192 x 8192: 51 and 25), and wave2d as 10: 44.
inline constexpr StripRate cpu_strip_rate{52, 27};
/// EPYC, alike, heat3d as 9 operations, 256 x 256 x 256, twice the rate of one thread. f64: not measured.
inline constexpr StripRate cpu_strip_rate_of_volumes{23, 12};

/// The same of formulas that are compiled when the run begins. Busy EPYC with AVX-512, 2026-11-29, heat2d, 8192 x
/// 8192 (2048 x 2048: 78 and 36), in turns with the operator of the list (11.9 and 5.9 G cells/s) and strips (53 and
/// 26); wave2d: 56.
inline constexpr StripRate cpu_compiled_rate{85, 38};
/// EPYC, alike, heat3d, 256 x 256 x 256 and 512 x 512 x 512: 1.2 and 1.3 times strips in turns. f64: not measured.
inline constexpr StripRate cpu_compiled_rate_of_volumes{29, 15};
/// Seconds in which a compiler makes the kernels of a formula. Busy EPYC, 2026-11-29, GCC 12: 0.95 to 1.4.
inline constexpr double cpu_compile_seconds = 1.2;

/// Multiply-adds of f32 a second of the machines of the rates. H200: 33.2 T. EPYC, both threads with AVX-512: 118 G.
inline constexpr double cuda_multiply_adds = 3.32e13, cpu_multiply_adds = 1.18e11;

/// Bytes a second of constant arrays that levels of formulas read from the second-level cache of a GPU. H200,
/// 2026-11-28, heat2d with an array in f32: 686 G cells/s. The cache itself has 7.6 to 8.4 TB/s. Planes: not
/// measured.
inline constexpr double cuda_level_array_bytes = 3.6e12;
/// The same where steps are made one at a time: as fast as they read and write their fields. H200: heat2d 330 G
/// cells/s of 8 bytes.
inline constexpr double cuda_step_array_bytes = 2.6e12;

/// Seconds a cell that the kernel of formulas takes longer where it may read a source and a mask. H200, 2026-11-28:
/// star2d with a mask in f32 247 G cells/s, with a source in f64 226 G. Planes: not measured.
inline constexpr double cuda_addition_seconds = 2e-12;

/// The least seconds that a launch's points take, those of a level of it, and cells a second that are made again
/// around them. H200, 2026-11-29, wave2d in f32, 20 levels a launch: 25 to 34 us with 100 receivers, 52 us with 100
/// sources.
inline constexpr double cuda_points_seconds = 5e-6, cuda_points_level_seconds = 1.2e-6, cuda_patch_cells = 3e11;

/// Cells of a line that a warp makes side by side in single steps, and the seconds, of the whole device, in which a
/// warp makes cells one by one, once for all its lanes: an operation. H200, 2026-11-28, a step of 100000 x 64 cells
/// of star2d, two turns a line: 0.24 ns; of 2048 x 2048 x 12 cells of heat3d, one turn: 0.3 ns.
inline constexpr double cuda_step_line = 128, cuda_turn_seconds = 3e-10;

}  // namespace terrace::stencil::measured
