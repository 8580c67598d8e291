// The rates that plans of graphs assume. Results never depend on them.
#pragma once

namespace terrace::graph::measured {

/// Values of f32 that a core makes in a second, of one node: 3.9e8 for the nine nodes of Harris' corners at 4096 x
/// 4096, on two threads of an AMD EPYC with AVX2, 2026-11-29.
inline constexpr double plain_cells = 3.9e8;

}  // namespace terrace::graph::measured
