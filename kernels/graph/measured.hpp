// The rates that plans of graphs assume. Results never depend on them.
#pragma once

namespace terrace::graph::measured {

/// Values of f32 that a core reads in a second: 2.3e9 for the nine nodes of Harris' corners at 4096 x 4096, which
/// read six values a cell, and 2.6e9 for sums of 33 x 33, on two threads of an AMD EPYC with AVX2, 2026-11-29.
inline constexpr double plain_reads = 2.3e9;

/// Bytes that kernels move from and to the memory of an H200 in a second, and the part of it that the kernels of
/// graphs reach. The part is not measured.
inline constexpr double cuda_bytes_per_second = 4.4e12, cuda_efficiency = 0.85;
/// Seconds from a launch to the next one, in addition. Not measured.
inline constexpr double cuda_launch_seconds = 3e-6;

}  // namespace terrace::graph::measured
