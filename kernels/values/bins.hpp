// Bins of numbers, all equally wide.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/values/rounded.hpp"

namespace terrace::values {

/// The bins of numpy.histogram of f64: half-open, the last closed.
struct Bins {
  device::i64 bins = 256;
  double low = 0, high = 1;

  TERRACE_HOST_DEVICE constexpr double edge(device::i64 number) const {
    if (number == bins) return high;
    return plus(times(static_cast<double>(number), (high - low) / static_cast<double>(bins)), low);
  }
  /// The bin of a value; -1: none, as for NaN.
  TERRACE_HOST_DEVICE constexpr device::i64 bin(double value) const {
    if (!(value >= low && value <= high)) return -1;
    auto found = static_cast<device::i64>((value - low) / (high - low) * static_cast<double>(bins));
    if (found > bins - 1) found = bins - 1;
    while (value < edge(found)) --found;
    while (found + 1 < bins && value >= edge(found + 1)) ++found;
    return found;
  }
};

}  // namespace terrace::values
