// The sizes that plans of nests assume. Results never depend on them. "Not measured" marks a value of which no figure
// is recorded.
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// Bytes of the values of a block, about: larger ones only wait longer for a checkpoint. Not measured.
inline constexpr std::int64_t nest_block_bytes = 32 << 20;

/// The least coordinates of a block along an axis, as far as there are so many: of smaller ones the overhead of a
/// block is most of its time. Not measured.
inline constexpr std::int64_t least_nest_side = 16;

}  // namespace terrace::stages::measured
