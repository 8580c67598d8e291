// The sizes and rates that plans of queries assume.
//
// Results never depend on them. "Not measured" marks a value of which no figure is recorded.
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// Bytes of the rows of a table that a block reads, about. Not measured.
inline constexpr std::int64_t query_band_bytes = 8 << 20;

/// Distances a second that a core adds to totals, as assumed for predictions. Not measured.
inline constexpr double query_rate = 1e9;

}  // namespace terrace::stages::measured
