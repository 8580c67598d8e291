// Whole parts of real numbers, ranges of steps, and elements of inputs, for code that is compiled at run time.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"
#include "kernels/values/exact.hpp"
#include "kernels/values/rounded.hpp"

namespace terrace::nest {

using device::i32;
using device::i64;
using device::u64;

inline constexpr i64 least_whole = -0x7fffffffffffffffll - 1;

/// A real number without its fraction. @param end 2^31 or 2^63 @return false if it is not within [-end, end)
TERRACE_HOST_DEVICE bool to_whole(double real, double end, i64& whole) {
#if defined(__CUDA_ARCH__)
  const double cut = trunc(real);
#else
  const double cut = __builtin_trunc(real);
#endif
  const bool fits = cut >= -end && cut < end;
  whole = fits ? static_cast<i64>(cut) : 0;
  return fits;
}

TERRACE_HOST_DEVICE i64 floor_of(i64 a, i64 b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// Keeps of [begin, end) the numbers k for which base + slope * k lies in [low, high).
TERRACE_HOST_DEVICE void clip(i64 low, i64 high, i64 base, i64 slope, i64& begin, i64& end) {
  if (slope == 0) {
    if (base < low || base >= high) end = begin;
  } else if (slope == 1) {
    begin = values::larger(begin, low - base);
    end = values::smaller(end, high - base);
  } else if (slope > 0) {
    begin = values::larger(begin, -floor_of(base - low, slope));
    end = values::smaller(end, floor_of(high - 1 - base, slope) + 1);
  } else {
    begin = values::larger(begin, -floor_of(high - 1 - base, -slope));
    end = values::smaller(end, floor_of(base - low, -slope) + 1);
  }
}

/// The number of [begin, end) that is nearest to one.
TERRACE_HOST_DEVICE i64 nearest(i64 at, i64 begin, i64 end) {
  return values::smaller(values::larger(at, begin), end - 1);
}

/// An element of an array.
template <class T>
TERRACE_HOST_DEVICE T element_of(const void* data, i64 index) {
  return static_cast<const T*>(data)[index];
}

}  // namespace terrace::nest
