// The sizes and rates that kernels and plans of nests assume. Results never depend on them.
#pragma once

namespace terrace::nest::measured {

/// Operations of formulas that a core computes one by one in a second. Not measured.
inline constexpr double defined_operations_per_second = 5e7;
/// Coordinates of a tile along an axis, in a block that threads share. Not measured.
inline constexpr int tile_side = 64;

}  // namespace terrace::nest::measured
