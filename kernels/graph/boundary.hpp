// The boundary of an array: the values that operators read outside of it.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::graph {

using device::i32;
using device::i64;

/// NumPy's pads of the same names; periodic is NumPy's "wrap".
enum class Boundary : i32 {
  symmetric,  // index -1 is index 0, index -2 is index 1
  edge,       // index -1 is index 0, index -2 too
  reflect,    // index -1 is index 1
  periodic,   // index -1 is the last index
  value       // everything outside has one value
};

/// Result of index_inside() where Boundary::value decides.
inline constexpr i64 outside = -1;

/// The index in [0, extent) whose value is read for `index`, however far outside that is; or `outside`.
/// @param extent at least 1
TERRACE_HOST_DEVICE constexpr i64 index_inside(i64 index, i64 extent, Boundary boundary) {
  if (index >= 0 && index < extent) return index;
  if (boundary == Boundary::value) return outside;
  if (boundary == Boundary::edge) return index < 0 ? 0 : extent - 1;
  if (extent <= 1) return 0;
  const bool turns = boundary == Boundary::reflect;
  const i64 period = boundary == Boundary::periodic ? extent : turns ? 2 * extent - 2 : 2 * extent;
  const i64 within = (index % period + period) % period;
  if (within < extent) return within;
  return turns ? period - within : period - 1 - within;
}

}  // namespace terrace::graph
