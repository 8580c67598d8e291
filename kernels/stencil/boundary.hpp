// The faces of a grid: the values that a stencil reads outside the grid, and the cells that keep their values.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::stencil {

using device::i32;
using device::i64;

inline constexpr int most_rank = 3;

/// The rule of one side of one axis.
enum class Face : i32 {
  fixed,      // cells within the operator's radius of the face keep their values: nothing outside is read
  periodic,   // index -1 is the last index
  edge,       // index -1 is index 0
  reflect,    // index -1 is index 1
  symmetric,  // index -1 is index 0, index -2 is index 1
  value       // everything outside has one value
};

/// The two faces of an axis.
struct Faces {
  Face low = Face::fixed, high = Face::fixed;
  double low_value = 0, high_value = 0;  // of Face::value
};

/// Result of mapped_index() for an index outside a face with a value: low_outside or high_outside.
inline constexpr i64 low_outside = -1, high_outside = -2;

/// The index in [0, extent) whose value is read for `index`, or low_outside or high_outside. An index is at most
/// `extent` (Face::reflect: extent - 1) outside. Outside a fixed face any index inside.
TERRACE_HOST_DEVICE constexpr i64 mapped_index(i64 index, i64 extent, Face low, Face high) {
  const bool below = index < 0;
  if (!below && index < extent) return index;
  const i64 beyond = below ? -1 - index : index - extent;  // 0: the first index outside
  switch (below ? low : high) {
    case Face::periodic:
      return below ? index + extent : index - extent;
    case Face::reflect:
      return below ? beyond + 1 : extent - 2 - beyond;
    case Face::symmetric:
      return below ? beyond : extent - 1 - beyond;
    case Face::value:
      return below ? low_outside : high_outside;
    default:
      return below ? 0 : extent - 1;
  }
}

/// True if an index within `radius` of a fixed face: such a cell keeps its value.
TERRACE_HOST_DEVICE constexpr bool is_kept(i64 index, i64 extent, i64 radius, Face low, Face high) {
  return (low == Face::fixed && index < radius) || (high == Face::fixed && index >= extent - radius);
}

}  // namespace terrace::stencil
