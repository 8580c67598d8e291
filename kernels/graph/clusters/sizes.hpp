// Sizes of the kernels of clusters that plans know.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::graph {

/// Warps of a thread block that streams rows.
inline constexpr device::u32 stream_warps = 4;
/// Rows of a warp's strip, at least, where there are several.
inline constexpr device::i64 least_strip_rows = 8;

}  // namespace terrace::graph
