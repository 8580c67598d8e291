// The sizes and rates that kernels and plans of nests assume. Results never depend on them.
#pragma once

namespace terrace::nest::measured {

/// Operations of formulas that a core computes one by one in a second: 1.6e8 for edit distance, 1.0e8 for five reals
/// of f32, on two busy threads of an AMD EPYC with AVX-512.
inline constexpr double defined_operations_per_second = 1.3e8;
/// Coordinates of a tile along an axis and along the last one, in a block that threads share. Not measured.
inline constexpr int tile_side = 64, tile_columns = 256;

}  // namespace terrace::nest::measured
