// The sizes that plans of nests assume. Results never depend on them. "Not measured" marks a value of which no figure
// is recorded.
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// Bytes of the values of a block, about: larger ones only wait longer for a checkpoint. Not measured.
inline constexpr std::int64_t nest_block_bytes = 32 << 20;

}  // namespace terrace::stages::measured
