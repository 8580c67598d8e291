// The rates that plans of graphs assume. Results never depend on them.
#pragma once

namespace terrace::graph::measured {

/// Values of f32 that a core reads in a second: 2.3e9 for the nine nodes of Harris' corners at 4096 x 4096, which
/// read six values a cell, and 2.6e9 for sums of 33 x 33, on two threads of an AMD EPYC with AVX2, 2026-11-29.
inline constexpr double plain_reads = 2.3e9;

/// The same of formulas by strips, and of formulas that are compiled: steps of optical flow, which read 44 values a
/// cell, at 0.16e9 and at 0.54e9 cells a second on one thread of an Intel Xeon with AVX-512, 2026-11-29.
inline constexpr double strip_reads = 7e9, compiled_reads = 2.4e10;
/// Seconds of a core for a row of a step of an iteration and each value that its cells read, in addition to what they
/// read: a million steps of 64 x 64 cells that read 4 values take 18 s of a core, and 150,000 of 40 x 30 cells that
/// read 28 values 9.8 s, on an Intel Xeon, others at work on it, 2026-11-30.
inline constexpr double step_row_seconds = 5e-8;
/// The time that a compilation takes. Not measured.
inline constexpr double compile_seconds = 1;
/// Bytes of the ring of an iteration on the CPU, the most steps that it takes, rows that are loaded into it at a
/// time, and the least columns of its pieces, which is not measured. A trial of 20 steps of optical flow, 4096 x
/// 4096, by one thread of an Intel Xeon with 2 MiB of L2 cache, others at work on it, ns a cell and step, 2026-11-30:
/// pieces of 1024 columns and 4 rows 0.80, 8 rows 0.76; 512 columns 0.81; 256 columns 1.03; 1360 columns 0.81.
inline constexpr int iteration_ring_bytes = 1 << 20, iteration_most_steps = 24, iteration_front_rows = 4,
                     iteration_least_columns = 256;

/// Bytes that kernels move from and to the memory of an H200 in a second, and the part of it that the kernels of
/// graphs reach. The part is not measured.
inline constexpr double cuda_bytes_per_second = 4.4e12, cuda_efficiency = 0.85;
/// Seconds from a launch to the next one, in addition. Not measured.
inline constexpr double cuda_launch_seconds = 3e-6;
/// Instructions of f32 that kernels of clusters execute in a second, of 3.3e13 that an H200 issues. Not measured
/// alone: with this, Harris' response of 16384 x 16384 cells should take 0.86 ms, and takes 0.73 ms (2026-11-29).
inline constexpr double cuda_cluster_operations_per_second = 2e13;

/// Times that several steps of an iteration take as one cluster, by these rates. Not measured: as long as it is not,
/// streaming rows, which are, are taken where both are near.
inline constexpr double cuda_unrolled_factor = 2;
/// Multiprocessors of an H200, on which strips of clusters are spread.
inline constexpr int cuda_processors = 132;

/// Operations of formulas of f32 in a second where the rows of an iteration stream through the registers of an H200:
/// 500 iterations of optical flow over 16384 x 16384 take 0.42 s (0.32e12 cells and steps of 17 operations a second),
/// with fast arithmetic 0.24 s (0.56e12 of 12 operations), 2026-11-29.
inline constexpr double cuda_streamed_operations = 6e12;

/// A sub-kernel of an iteration of two states and three coefficients on an H200, 2026-11-29: seconds that it takes in
/// addition to its bytes, bytes a second that it moves from and to the L2 cache, and how many of them are there.
inline constexpr double cuda_strip_seconds = 1.7e-6, cuda_cache_bytes_per_second = 6.2e12, cuda_cache_bytes = 40e6;

}  // namespace terrace::graph::measured
