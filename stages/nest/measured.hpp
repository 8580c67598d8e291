// The sizes that plans of nests assume. Results never depend on them. "Not measured" marks a value of which no figure
// is recorded.
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// Seconds that a block takes, about: longer ones only wait longer for a checkpoint. Not measured.
inline constexpr double nest_block_seconds = 0.1;

/// The least coordinates of a block along an axis, as far as there are so many: of smaller ones the overhead of a
/// block is most of its time. Not measured.
inline constexpr std::int64_t least_nest_side = 16;

/// Blocks of a nest that is cut for several devices, at most. Not measured.
inline constexpr std::int64_t most_dealt_nest_blocks = 4096;

}  // namespace terrace::stages::measured
