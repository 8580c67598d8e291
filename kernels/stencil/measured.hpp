// The measured sizes of stencils, each with the machine that it was chosen on.
//
// To tune a kernel, change its entry here. Results never depend on these values. tests/benchmarks/RESULTS.md has the
// rates, the limits and the commands that repeat them. "Not measured" marks a value of which no figure is recorded.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::stencil::measured {

/// Sub-passes on the CPU (cpu/tile.hpp). EPYC: AMD EPYC (Zen 4, 1 MiB of second-level cache a core), AVX-512, GCC 12,
/// 2026-11-24, one thread of a machine that others used; cells a second of the thread's own time, star2d of radius 1
/// in f32, 2048 x 8192, 64 steps.
struct CpuTiles {
  /// Bytes of the rings of a thread: they stay in its second-level cache. EPYC: not measured by itself; at depth 16
  /// rows of 4, 8, 12 and 16 KiB, rings of 0.4, 0.8, 1.2 and 1.6 MB: 6.6, 7.6, 6.9 and 7.2 G.
  static constexpr device::i64 ring_bytes = 800 << 10;
  /// Bytes of a row of a tile of two dimensions. EPYC, depth 16: 1 KiB 4.1 G, 2 KiB 5.5, 4 KiB 6.6, 8 KiB 7.6.
  static constexpr device::i64 row_bytes = 8 << 10;
  /// Bytes of a row of a tile of three dimensions. Not measured.
  static constexpr device::i64 volume_row_bytes = 2 << 10;
  /// Steps of a sub-pass times the radius. EPYC, rows of 8 KiB: 8 steps 6.2 G, 16 steps 7.6, 32 steps 7.7 (whose
  /// rings are twice too large). In three dimensions not measured.
  static constexpr device::i64 reach = 16, reach_of_volumes = 4;
  /// The least cells of a tile along the middle and the last axis. Not measured.
  static constexpr device::i64 least_height = 8, least_width = 128;
  /// Rows that are made at once: 1, 2 or 4. EPYC, rows of 8 KiB, depth 16: 2 rows 6.0 G, 4 rows 7.5.
  static constexpr device::i64 block = 4;
  /// Cells of a tile of a grid of one dimension. Not measured.
  static constexpr device::i64 line_width = 8192;
  /// Steps of a sub-pass of a grid of one dimension. Not measured.
  static constexpr device::i64 line_depth = 32;
  /// Rows of a tile if there are too few tiles for the threads, in rows of its halo. Not measured.
  static constexpr device::i64 band_halos = 16;
};

/// The sums that a kernel streams rows for.
enum class StreamForm {
  star,
  box,
  separable  // a box: the sum of a row, then of a column of such sums
};

/// The mover of rows between memory and the warps that make levels.
enum class Moving {
  bulk,   // bulk copies of these warps (cuda/rows/bulk.cuh)
  values  // a warp more, value by value: for rows that do not begin at multiples of 16 bytes (cuda/rows/mover.cuh)
};

/// Sizes of a kernel that streams rows through registers (cuda/rows/kernel.cuh).
struct StreamSizes {
  int cells;   // of a row that a lane holds
  int levels;  // that a warp makes of a row
  int warps;   // of a thread block, each some levels above the one before
  int rows;    // between two barriers of the thread block
  int slots;   // batches of that many rows in flight from memory, a power of two
  int blocks;  // thread blocks on a multiprocessor, as far as their registers go
  Moving moving = Moving::bulk;
};

/// Sums over a star or a box in two dimensions on CUDA.
struct CudaStream {
  /// The largest radius that has a kernel. Larger boxes, those of f64 whose sums are products, and those of radius 4
  /// on grids with less than a tile a row take CudaBox (H100, 2026-11-26 and 2026-11-27, box of radius 4: in f32 270
  /// G here and 300 there, in f64 151 here, and there 143 to 149 term by term, 167 by products); stars of f64 beyond
  /// it are as fast one step at a time (H200 prototype, radius 8: 270 G either way), since their sums do not fit into
  /// registers.
  TERRACE_HOST_DEVICE static constexpr int most_radius(StreamForm form, int bytes) {
    if (form == StreamForm::box) return bytes == 8 ? 4 : 3;
    return form == StreamForm::star && bytes == 8 ? 4 : 8;
  }

  /// Time of a row of a tile at the grid's end, in eighths of other rows' time. H100, 2026-11-26, star2d of radius 1
  /// in f32, {12, 4, 4, 4, 2, 3}, Gcell/s: 8 3770, 9 4010, 10 4100, 11 4100.
  static constexpr int eighths_at_ends = 10;

  /// Rows in whose time a thread block begins and ends beside others, in addition to the rows that it makes: of the
  /// chunks that fill up a launch (cuda/common/choose_chunks.hpp). H100, 2026-11-27, Gcell/s, f32, by 0, 32, 64 and
  /// 128 rows: star2d of radius 1 4220, 4230, 4220, 4210, of radius 4 1140, 1170, 1170, 1160, of radius 8 559, 564,
  /// 567, 597, heat2d 2620, 2680, 2720, 2930; with equal chunks 4090, 1130, 594, 2780.
  static constexpr int rows_to_begin = 128;

  /// The same of every chunk, by which launches over low slabs are expected to take longer. H100, 2026-11-28, star2d
  /// of radius 1 in f32, 65536 x 32768, which takes 4.2 chunks a tile: slabs of 1376, 1887, 2048 and 4096
  /// rows 3.35, 3.55, 3.66 and 3.95 T cells/s, by this number 3.49, 3.65, 3.69 and 3.91.
  static constexpr int rows_lost = 16;

  /// The most rows of a chunk. The longer chunks are, the farther thread blocks of neighbouring tiles drift apart,
  /// and what they read twice is no longer in L2. H100, 2026-11-27, Gcell/s: f64, by any number, 3500 and 1600 rows,
  /// star2d of radius 1 1830, 1890, 1930, box2d of radius 3 229, 241, 252; f32, by any number (3100 rows), 2500 and
  /// 1600 rows, star2d of radius 3 1440, 1390, 1390. More than 4096 rows: not measured.
  TERRACE_HOST_DEVICE static constexpr int most_chunk_rows(int bytes) { return bytes == 8 ? 1600 : 4096; }

  /// See `star`, `box`, `separable`, `wide_star` and `wide_box`.
  TERRACE_HOST_DEVICE static constexpr StreamSizes sizes(StreamForm form, int radius, int bytes) {
    if (form == StreamForm::separable) return separable(radius, bytes);
    if (bytes == 8) return form == StreamForm::box ? wide_box(radius) : wide_star(radius);
    return form == StreamForm::box ? box(radius) : star(radius);
  }

  // Rates beside the entries below are those of an H100, 2026-11-26, 16384 x 16384, 512 steps, in Gcell/s.

  /// f32. H100, see above; radius 1: {12, 3, 4, 4, 2, 3} 3610, {12, 5, 3, 4, 2, 3} 3900, {8, 4, 4, 5, 2, 4} 3910,
  /// {16, 4, 4, 3, 2, 2} 3500; radius 3: {16, 1, 6, 4, 2, 2} 1350; radius 8: {8, 1, 4, 4, 2, 2} 410, {12, 1, 4, 4, 2,
  /// 2} 507.
  TERRACE_HOST_DEVICE static constexpr StreamSizes star(int radius) {
    if (radius == 1) return {12, 4, 4, 4, 2, 3};  // 4100
    if (radius == 2) return {12, 2, 4, 4, 4, 3};  // 2200
    if (radius == 3) return {12, 1, 8, 4, 2, 2};  // 1370
    if (radius == 4) return {12, 1, 4, 4, 2, 3};  // 1130
    if (radius == 5) return {12, 1, 3, 4, 2, 3};  // 950
    if (radius <= 7) return {12, 1, 4, 4, 2, 2};  // 710, 570
    return {12, 1, 2, 6, 2, 4};                   // 590
  }
  /// f32. H100, see above; radius 1: {12, 2, 8, 4, 2, 2} 2420, {12, 3, 4, 4, 2, 3} 2450; radius 2: {12, 2, 4, 2, 2,
  /// 3} 900; radius 3: {12, 1, 4, 2, 2, 4} 476, {12, 1, 6, 4, 2, 2} 397.
  TERRACE_HOST_DEVICE static constexpr StreamSizes box(int radius) {
    if (radius == 1) return {12, 4, 4, 3, 2, 3};  // 2460
    if (radius == 2) return {12, 1, 8, 4, 2, 2};  // 940
    return {8, 1, 4, 3, 2, 5};                    // 478
  }
  /// f64. H100, see above; radius 1: {6, 4, 4, 4, 2, 3} 1970, {6, 3, 4, 4, 2, 4} 1780, {8, 3, 4, 3, 2, 3} 1700.
  TERRACE_HOST_DEVICE static constexpr StreamSizes wide_star(int radius) {
    if (radius == 1) return {6, 4, 4, 4, 4, 3};  // 2060
    if (radius == 2) return {6, 2, 4, 4, 4, 3};  // 1040
    if (radius == 3) return {6, 2, 4, 4, 2, 2};  // 667
    return {6, 1, 4, 4, 4, 3};                   // 524
  }
  /// f64. H100, see above.
  TERRACE_HOST_DEVICE static constexpr StreamSizes wide_box(int radius) {
    if (radius == 1) return {6, 4, 4, 4, 2, 3};  // 1260
    if (radius == 2) return {8, 2, 4, 4, 2, 2};  // 477
    if (radius == 3) return {8, 1, 4, 4, 2, 2};  // 252
    return {8, 1, 2, 1, 4, 4};                   // 151
  }
  /// H100, see above. f32 of radius 5 and 7, f64 of radius 5, 7 and 8: not measured.
  TERRACE_HOST_DEVICE static constexpr StreamSizes separable(int radius, int bytes) {
    if (bytes == 8) {
      if (radius == 1) return {6, 4, 4, 4, 2, 3};                                          // 1730
      if (radius == 2) return {6, 2, 4, 4, 2, 3};                                          // 929
      if (radius == 3) return {6, 2, 4, 4, 2, 2};                                          // 619
      if (radius == 4) return {6, 1, 4, 4, 2, 3};                                          // 495
      return radius <= 6 ? StreamSizes{6, 1, 4, 4, 2, 2} : StreamSizes{8, 1, 2, 4, 2, 4};  // radius 6: 315
    }
    if (radius == 1) return {12, 4, 4, 4, 2, 3};  // 3490
    if (radius == 2) return {12, 2, 4, 4, 2, 3};  // 2000
    if (radius == 3) return {12, 1, 8, 4, 2, 2};  // 1270
    if (radius == 4) return {12, 1, 4, 4, 2, 3};  // 1070
    return {12, 1, 4, 4, 2, 2};                   // of radius 6 684, of 8 497
  }
};

/// The ways in which sums of large boxes are made (cuda/wide/).
enum class BoxSums {
  terms,    // term by term
  products  // as matrix products, in f64
};

/// Sizes of a kernel that makes steps of a large box (cuda/wide/kernel.cuh).
struct BoxSizes {
  int cells;               // of a row that a lane makes
  int rows;                // of a batch
  int levels;              // the most that are made at once
  int warps;               // on a multiprocessor, as far as their registers go
  bool in_shared = false;  // coefficients are read from shared memory, not from the constants of a launch
};

/// Sums over a large box in two dimensions on CUDA.
struct CudaBox {
  /// The radii that have a kernel; smaller boxes were slower here than in CudaStream (H100, 2026-11-27, f32 of radius
  /// 2 and 3: 740 and 430 G; products of radius 3 take 7 x 16 multiply-adds of twice the rate, at most 0.88 times as
  /// fast), and no operator has larger ones.
  static constexpr int least_radius = 4, most_radius = 8;

  /// True if f64 takes products where they give the same bits. H100, 2026-11-27, radius 4 to 8, 512 steps, Gcell/s:
  /// by products 167, 109, 98, 74, 66, term by term 149, 98, 73, 54, 43.
  static constexpr bool has_products(int bytes) { return bytes == 8; }

  /// See `terms`, `wide_terms` and `products`. Rates beside their entries: H100, 2026-11-27, 16384 x 16384, Gcell/s,
  /// of f64 in runs too short to slow the clock.
  TERRACE_HOST_DEVICE static constexpr BoxSizes sizes(BoxSums sums, int radius, int bytes) {
    return sums == BoxSums::products ? products(radius) : bytes == 8 ? wide_terms(radius) : terms(radius);
  }
  /// f32. H100, see above; radius 4: {8, 3, 2, 8} 290, {8, 4, 1, 12} 251; radius 5: {8, 2, 1, 12} 197, in shared
  /// memory 196; radius 6: {8, 2, 1, 12} 147, in shared memory 149; radius 7: {8, 3, 1, 8} 104, in shared memory 110;
  /// radius 8: {8, 2, 1, 8} 85, {8, 3, 1, 8} in shared memory 89.
  TERRACE_HOST_DEVICE static constexpr BoxSizes terms(int radius) {
    if (radius == 4) return {8, 4, 2, 8};   // 303
    if (radius == 5) return {8, 3, 1, 12};  // 214
    if (radius == 6) return {8, 3, 1, 8};   // 156
    if (radius == 7) return {8, 2, 1, 8};   // 112
    return {8, 2, 1, 8, true};              // 91
  }
  /// f64. H100, see above; radius 4: {4, 4, 1, 12} 130; radius 5: {4, 4, 1, 8} 96; radius 6: {4, 3, 1, 8} 72; radius
  /// 7: {4, 4, 1, 8} 55; radius 8: {4, 3, 1, 8} 44.
  TERRACE_HOST_DEVICE static constexpr BoxSizes wide_terms(int radius) {
    if (radius == 4) return {4, 4, 2, 8};   // 157
    if (radius == 5) return {4, 3, 1, 12};  // 108
    if (radius == 6) return {4, 4, 1, 8};   // 78
    if (radius == 7) return {4, 3, 1, 8};   // 57
    return {4, 4, 1, 8};                    // 45
  }
  /// f64. H100, see above; radius 4: {4, 4, 1, 8} 132, {4, 3, 2, 8} 170, {4, 2, 2, 12} 162; radius 5: {4, 3, 1, 12}
  /// 118, {4, 4, 2, 8} 94; radius 6: {4, 3, 1, 8} 102; radius 7: {4, 4, 1, 8} 78; radius 8: {4, 4, 1, 8} 57, {4, 2,
  /// 1, 12} 66.
  TERRACE_HOST_DEVICE static constexpr BoxSizes products(int radius) {
    if (radius == 4) return {4, 4, 2, 8};  // 173
    if (radius <= 6) return {4, 4, 1, 8};  // 116, 102
    return {4, 3, 1, 8};                   // 78, 69
  }

  /// Shares of a launch, as a multiple of the warps that run at a time, where each still has `batches_of_share`
  /// batches of rows; else one, since each begins by bringing 2 radius rows. H100, see above, by sums 1, 2 and 3
  /// shares: f32 of radius 4 297, 303, 301, of 4096 x 4096 243, 213, 195; radius 5 214, 213, 214, of 4096 x 4096 168,
  /// 143, 134; f64 of radius 5 98, 100, 104, by products 118, 117, 116.
  static constexpr int shares(BoxSums sums, int radius, int bytes) {
    return sums == BoxSums::products ? 1 : bytes == 8 ? 3 : radius == 4 ? 2 : 1;
  }
  /// Not measured: so many batches take some 25 times the time in which their first rows come.
  static constexpr int batches_of_share = 100;
};

/// Sizes of a kernel that streams planes of a tile through registers (cuda/planes/kernel.cuh).
struct VolumeSizes {
  int levels;  // that are made at once
  int lines;   // of a tile of which a thread has cells, one below another
  int lanes;   // threads side by side along a line, each with 16 bytes of it: 8, 16 or 32
  int warps;   // of a thread block
  int slots;   // planes in flight from memory, a power of two
  int blocks;  // thread blocks on a multiprocessor, as far as their registers go
};

/// Updates in three dimensions on CUDA.
struct CudaVolume {
  /// The largest radius of sums that have a kernel. Not measured.
  static constexpr int most_radius(bool box) { return box ? 2 : 4; }

  /// Planes in whose time a thread block begins and ends, as CudaStream::rows_to_begin. H100, 2026-11-27, star of
  /// radius 1 in f32, chunks of 64 planes: by 2 and 4 alike 860 Gcell/s.
  static constexpr int planes_to_begin = 4;

  /// Planes that are lost to a chunk, as CudaStream::rows_lost, in those that its levels reach up or down. H100,
  /// 2026-11-27, star of radius 1 in f32 with four levels: chunks of 100, 64 and 32 planes 870, 860 and 782 Gcell/s,
  /// by this number, from the first one, 852 and 804.
  static constexpr int planes_lost = 1;

  /// The most planes of a chunk, as CudaStream::most_chunk_rows. H100, 2026-11-27, 1024 x 512 x 512, Gcell/s, f32, by
  /// any number, 256, 160, 128, 100, 64 and 32 planes: star of radius 1 690, 806, 882, 862, 870, 860, 782, box of
  /// radius 1 426, 461, 462, 509, 510, 507, 469, heat3d 836, 892, 891, 950, 1010, 1050, 977; f64, by any number, 256,
  /// 160, 128 and 64: star 562, 560, 570, 560, 525, box 262, 268, 261, 263, 250.
  TERRACE_HOST_DEVICE static constexpr int most_chunk_planes(int bytes) { return bytes == 8 ? 160 : 100; }

  /// Sums over a star or a box, 1024 x 512 x 512, Gcell/s. Star of radius 1: H100, 2026-11-26, f32 793, with
  /// {4, 4, 16, 8, 4, 1} 770, {3, 2, 32, 16, 4, 1} 781, {3, 2, 16, 16, 4, 1} 631 (H200, 2026-11-24: 918), f64 550,
  /// with {3, 4, 32, 8, 4, 1} 460; box of radius 1: H200, 2026-11-24, f32 532, with {3, 4, 16, 8, 4, 1} 541, f64 284,
  /// with {2, 3, 32, 8, 4, 1} 269. Radius 2 and more: not measured.
  TERRACE_HOST_DEVICE static constexpr VolumeSizes sizes(bool box, int radius, int bytes) {
    if (box) {
      if (radius == 1) return bytes == 8 ? VolumeSizes{2, 4, 32, 8, 4, 1} : VolumeSizes{2, 4, 16, 8, 4, 1};
      return bytes == 8 ? VolumeSizes{1, 4, 32, 8, 4, 1} : VolumeSizes{1, 4, 16, 8, 4, 1};
    }
    if (bytes == 8) {
      if (radius == 1) return {4, 4, 32, 8, 4, 1};
      return radius == 2 ? VolumeSizes{2, 4, 32, 8, 4, 1} : VolumeSizes{1, 4, 32, 8, 4, 1};
    }
    if (radius == 1) return {4, 4, 32, 8, 4, 1};
    return radius == 2 ? VolumeSizes{2, 4, 16, 8, 4, 1} : VolumeSizes{1, 4, 16, 8, 4, 1};
  }
  /// Cells in two parts, by their fields and the values that the first part hands on: fewer levels or lines where
  /// more is kept, so that it fits into registers; no levels where it does not. H100, 2026-11-27, 1024 x 512 x 512,
  /// Gcell/s. One field and one value, heat3d: f32 1010, with {4, 2, 16, 16, 4, 1} 745, {4, 2, 32, 16, 4, 1} 678; f64
  /// 509, with {4, 2, 32, 16, 4, 1} 394, {3, 4, 32, 8, 4, 1} 477. Two fields and one value, wave3d: f32 236, with {2,
  /// 4, 16, 8, 4, 1} 196, {2, 2, 16, 16, 4, 1} 198, {2, 2, 32, 16, 4, 1} 236, {2, 2, 32, 8, 4, 2} 222; f64 118, with
  /// {2, 2, 32, 16, 4, 1} 117, {2, 2, 32, 8, 4, 2} 109. Others: not measured.
  TERRACE_HOST_DEVICE static constexpr VolumeSizes part_sizes(int fields, int handed, int bytes) {
    const int kept = fields + handed;
    if (fields == 1 && kept <= 2) return bytes == 8 ? VolumeSizes{4, 4, 32, 8, 4, 1} : VolumeSizes{4, 4, 16, 8, 4, 1};
    if (fields == 1 && kept <= 3) return {3, 4, 32, 8, 4, 1};
    if (kept <= (fields == 1 ? 5 : 3)) return {2, 4, 32, 8, 4, 1};
    if (kept <= (fields == 1 ? 7 : 5)) return {2, 3, 32, 8, 4, 1};
    return {};
  }
};

/// One step at a time on CUDA (cuda/steps/kernel.cuh).
struct CudaStep {
  /// Cells that a thread makes side by side. Not measured by itself.
  static constexpr int cells = 4;
  /// The most rows of them that a thread makes one after another. H200, star2d of radius 1 in f32, 16384 x 16384: one
  /// row 0.17 T cells/s, 16 rows 0.22.
  static constexpr int rows = 16;
};

/// Formulas of radius 1 in two dimensions on CUDA (cuda/rows/formula_level.cuh).
struct CudaFormulaStream {
  /// Rows of constant arrays that are brought into L2 before they are read. Not measured.
  static constexpr int rows_ahead = 8;

  /// By the fields of the formula, and if constant arrays are read; an even number of rows between barriers, at each
  /// of which about a row a level is moved. H100, 2026-11-26, 8192 x 8192, 512 steps, Gcell/s, f32 and f64: heat2d
  /// 3030, 1390; wave2d 1550, 780; fdtd2d 1090, 368; hotspot 600, 341; with a warp that moved rows, H200, 2026-11-24:
  /// 2450, 1200; 1530, 750; 1100, 440; 620, 220. Other sizes: not measured.
  TERRACE_HOST_DEVICE static constexpr StreamSizes sizes(int fields, bool arrays, int bytes) {
    if (fields > 3) {
      // Not measured: as many warps as shared memory and registers of one level each have room for.
      return {16 / bytes, 1, bytes == 8 ? 6 : 8, 2, 2, fields > 5 ? 1 : 2};
    }
    if (bytes == 8) {
      if (fields == 1) return {4, 4, 4, 4, 4, 3};
      if (fields == 2) return {4, 3, 5, 4, 2, 2};
      return {4, 2, 5, 4, 2, 2};
    }
    if (fields == 1) return arrays ? StreamSizes{8, 4, 5, 4, 4, 2} : StreamSizes{8, 4, 4, 4, 4, 3};
    if (fields == 2) return arrays ? StreamSizes{8, 3, 5, 4, 2, 2} : StreamSizes{8, 4, 5, 4, 2, 2};
    return arrays ? StreamSizes{8, 2, 5, 2, 2, 2} : StreamSizes{8, 3, 5, 2, 2, 2};
  }
};

/// Tiles in shared memory (cuda/papers/overlapped_kernel.cuh).
struct CudaOverlapped {
  /// Cells of a tile with its halo along a row: 64 KiB for the two arrays of a thread block. Not measured.
  TERRACE_HOST_DEVICE static constexpr int columns(int bytes) { return bytes == 8 ? 64 : 128; }
  /// The same along a column. Not measured.
  static constexpr int rows = 64;
  /// Threads of a thread block. Not measured.
  static constexpr int threads = 512;
  /// Cells of a thread whose sums are made side by side. Not measured.
  static constexpr int cells = 4;
  /// Steps of a tile at a time: so many that its halo is at most 8 cells. Not measured.
  static constexpr int steps(int radius) { return radius > 8 ? 1 : 8 / radius; }
};

}  // namespace terrace::stencil::measured
