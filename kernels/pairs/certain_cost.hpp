// Sums of costs of time warping that are sure to be no larger than what a kernel gives.
#pragma once

#include "kernels/device/host_device.hpp"

namespace terrace::pairs {

/// The cost of two values that are so far apart.
TERRACE_HOST_DEVICE constexpr double cost_of_distance(double apart, bool squared) {
  return squared ? apart * apart : apart < 0 ? -apart : apart;
}

/// A sum of costs, less what roundings of a kernel and of this sum may add up to: each of `terms` operations changes
/// it by its part of epsilon, or by the least number of all. @param wide costs are f64, else f32
TERRACE_HOST_DEVICE constexpr double certain_cost(double sum, double terms, bool wide) {
  const double epsilon = wide ? 0x1p-52 : 0x1p-23, least = wide ? 0x1p-1074 : 0x1p-149;
  const double share = 1 - 4 * terms * epsilon;
  return share <= 0 ? 0 : sum * share - 4 * terms * least;
}

}  // namespace terrace::pairs
