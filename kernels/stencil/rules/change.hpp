// The change of a row in a step: largest absolute difference, or sum of squares in an order that the grid alone
// fixes.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"
#include "kernels/values/rounded.hpp"

namespace terrace::stencil {

using device::i32;
using device::i64;

enum class Norm : i32 { none, max, l2 };

/// Values are added in groups of `group`, one after another; in a group, value m of lane l is number l + lanes * m.
inline constexpr i64 change_lanes = 32, change_group = 1024;

/// The larger of two changes; NaN if one is.
TERRACE_HOST_DEVICE constexpr double larger_change(double a, double b) { return a > b || a != a ? a : b; }

/// Adds the square of a difference to the sum of a lane, or takes the larger absolute value.
TERRACE_HOST_DEVICE constexpr double with_difference(double sum, double difference, Norm norm) {
  if (norm == Norm::max) return larger_change(sum, difference < 0 ? -difference : difference);
  return values::fused(difference, difference, sum);
}

/// Both sums in one.
TERRACE_HOST_DEVICE constexpr double joined(double a, double b, Norm norm) {
  return norm == Norm::max ? larger_change(a, b) : a + b;
}

/// The sum over [0, count) of difference(index) of a row, or of values already squared: value(index, sum) gives
/// the lane's new sum. This is the definition; kernels compute lanes at once.
template <class AddTo>
TERRACE_HOST_DEVICE double sum_in_order(i64 count, Norm norm, const AddTo& add_to) {
  double total = 0;
  for (i64 begin = 0; begin < count; begin += change_group) {
    double lane[change_lanes] = {};
    const i64 end = begin + change_group < count ? begin + change_group : count;
    for (i64 i = begin; i < end; ++i) lane[(i - begin) % change_lanes] = add_to(lane[(i - begin) % change_lanes], i);
    for (i64 half = change_lanes / 2; half > 0; half /= 2) {
      for (i64 l = 0; l < half; ++l) lane[l] = joined(lane[l], lane[l + half], norm);
    }
    total = joined(total, lane[0], norm);
  }
  return total;
}

}  // namespace terrace::stencil
