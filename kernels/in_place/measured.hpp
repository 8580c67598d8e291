// The measured sizes and thresholds of sweeps in place, each with the machine and the time that it was chosen by.
//
// To tune a kernel, change its entry here. Results never depend on these values. Times on CUDA are of sor in f32 on a
// grid of 32768 x 32768; tests/benchmarks/RESULTS.md has the rates, the limits and the commands that repeat them.
// "Not measured" marks a value of which no figure is recorded. H200: NVIDIA H200, 132 multiprocessors, CUDA 13.0,
// 2026-11-21 and 22.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::in_place::measured {

/// Sizes of a group of sweeps, in steps, bytes of a row and thread blocks.
struct GroupSizes {
  int stride;         // steps that a lane makes at once
  int piece;          // steps between looks at what neighbours handed on
  int moved_bytes;    // of a row that are moved at once
  int waiting_bytes;  // of a row that wait in shared memory until their lane is there
  int thread_blocks;  // of a multiprocessor, as far as their registers go
};

/// Sweeps in place (shape.hpp, cuda/sweep.cpp).
struct CudaInPlace {
  /// Rows of a lane. Not measured.
  static constexpr int lane_rows = 4;
  /// Few sweeps a pass, of problems without corners. H200, 1 sweep, by stride and piece: 2 and 16 7.43 ms, 2 and 8
  /// 8.70, 2 and 32 7.47, 4 and 16 9.94, 4 and 32 9.87.
  TERRACE_HOST_DEVICE static constexpr GroupSizes few_lines() { return {2, 16, 64, 256, 1}; }
  /// Few sweeps a pass, of problems with corners. H200, seidel, 1 sweep: 29.7 ms; other sizes not recorded.
  TERRACE_HOST_DEVICE static constexpr GroupSizes few() { return {1, 8, 32, 128, 4}; }
  /// Many sweeps a pass. H200, 64 and 256 sweeps: 55 and 142 ms; pieces of 4 steps 62 and 165 ms, rows moved 16 bytes
  /// a lane 73 and 264 ms (before later changes).
  TERRACE_HOST_DEVICE static constexpr GroupSizes many() { return {1, 8, 32, 64, 2}; }
  /// Sweeps of a pass up to which groups for few sweeps are taken: such a group takes a third of the time of one for
  /// many. H200: 4 sweeps 17.3 ms by groups for few, 8 sweeps 52.1 ms by groups for many. The limit itself is not
  /// measured.
  static constexpr int most_few_sweeps = 4;
  /// Bytes of a row's values in registers in groups for many sweeps, as many as registers hold; with corners, values
  /// of two steps are held. H200: see `many`; other sizes not recorded.
  static constexpr int register_bytes = 64, register_bytes_with_corners = 32;
  /// Slabs under way at a time: at least two, as a slab is reported when the next one has begun. H200, 2304 sweeps of
  /// 65536 x 65536 in slabs of 1024 rows, six under way: 2.0 T. The limits are not measured.
  static constexpr device::i64 least_under_way = 2, most_under_way = 32;
};

/// Sweeps in place on the CPU (cpu/strip.hpp).
struct CpuInPlace {
  /// Passes of a band, in flight at a time. Not measured.
  static constexpr int band_passes = 4;
  /// Iterations of a band from one look at its neighbours to the next. Not measured.
  static constexpr device::i64 chunk = 64;
};

/// The rates of sweeps, which methods are chosen and predicted by.
struct SweepRate {
  const char* problem;     // null: any
  double operations;       // of 32 bits, on vectors of the CPU
  double cuda_operations;  // additions and multiplications on a GPU
  double cpu, cuda;        // cells a second of one core with AVX2, and of an H200 with two warps a scheduler, f32
  double first, next;      // seconds a cell of an H200, of the first and each next one of few sweeps a pass, f32
};

/// Above each row the rates of H200 and EPYC in RESULTS.md. EPYC: AMD EPYC, 2026-11-21 to 23.
inline constexpr SweepRate sweep_rates[] = {
    // H200, 256 sweeps: 1.93 T; 1 and 4 sweeps 7.43 and 17.3 ms. EPYC, both threads: 3.2 to 3.9 G.
    {"sor", 8, 6, 1.75e9, 1.93e12, 6.9e-12, 3.1e-12},
    // H200, seidel, 64 sweeps: 0.78 T; 1 sweep 29.7 ms, more than one not measured. EPYC, both threads: 1.94 G.
    {nullptr, 12, 12, 9.7e8, 7.8e11, 2.8e-11, 3.1e-12},
};

/// Work for the schedulers of a GPU: rows of a warp, bytes of the sweeps that it makes at a time, schedulers of a
/// multiprocessor, and the part of the rate that one warp each reaches. H200: a step takes 1,050 cycles with one
/// warp, 1,550 with two.
inline constexpr double warp_rows = 128, warp_bytes = 64, schedulers = 4, one_warp = 0.74;

/// Bytes a second of a CPU that a pass reads and writes beside its sweeps. EPYC, sor: 1 sweep 0.39 G cells/s.
inline constexpr double cpu_pass_bytes = 3.5e9;

}  // namespace terrace::in_place::measured
