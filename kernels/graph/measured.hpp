// The rates that plans of graphs assume. Results never depend on them.
#pragma once

namespace terrace::graph::measured {

/// Values of f32 that a core reads in a second: 2.3e9 for the nine nodes of Harris' corners at 4096 x 4096, which
/// read six values a cell, and 2.6e9 for sums of 33 x 33, on two threads of an AMD EPYC with AVX2, 2026-11-29.
inline constexpr double plain_reads = 2.3e9;

}  // namespace terrace::graph::measured
