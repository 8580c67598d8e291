// Whole numbers that are exact or fail, and ranges of steps, for code that is compiled at run time.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::nest {

using device::i32;
using device::i64;
using device::u64;

inline constexpr i64 least_whole = -0x7fffffffffffffffll - 1;

/// a + b, wrapped. @return false if that is not the sum
TERRACE_HOST_DEVICE bool add_exactly(i64 a, i64 b, i64& sum) {
  sum = static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b));
  return ((a ^ sum) & (b ^ sum)) >= 0;
}
TERRACE_HOST_DEVICE bool subtract_exactly(i64 a, i64 b, i64& difference) {
  difference = static_cast<i64>(static_cast<u64>(a) - static_cast<u64>(b));
  return ((a ^ b) & (a ^ difference)) >= 0;
}
TERRACE_HOST_DEVICE bool multiply_exactly(i64 a, i64 b, i64& product) {
  product = static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b));
  if (b == -1) return a != least_whole;
  return b == 0 || product / b == a;
}
TERRACE_HOST_DEVICE bool negate_exactly(i64 a, i64& negated) { return subtract_exactly(0, a, negated); }
TERRACE_HOST_DEVICE bool take_size_exactly(i64 a, i64& size) {
  size = a;
  return a >= 0 || negate_exactly(a, size);
}
/// The quotient without its fraction; 0 if b is 0. @return false if it is no i64
TERRACE_HOST_DEVICE bool divide_exactly(i64 a, i64 b, i64& quotient) {
  quotient = 0;
  if (b == -1) return negate_exactly(a, quotient);
  if (b != 0) quotient = a / b;
  return true;
}
/// The remainder as in C; 0 if b is 0.
TERRACE_HOST_DEVICE i64 remainder_of(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : a % b; }

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

TERRACE_HOST_DEVICE i64 smaller_of(i64 a, i64 b) { return b < a ? b : a; }
TERRACE_HOST_DEVICE i64 larger_of(i64 a, i64 b) { return a < b ? b : a; }
TERRACE_HOST_DEVICE i64 floor_of(i64 a, i64 b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// Keeps of [begin, end) the numbers k for which base + slope * k lies in [low, high).
TERRACE_HOST_DEVICE void clip(i64 low, i64 high, i64 base, i64 slope, i64& begin, i64& end) {
  if (slope == 0) {
    if (base < low || base >= high) end = begin;
  } else if (slope == 1) {
    begin = larger_of(begin, low - base);
    end = smaller_of(end, high - base);
  } else if (slope > 0) {
    begin = larger_of(begin, -floor_of(base - low, slope));
    end = smaller_of(end, floor_of(high - 1 - base, slope) + 1);
  } else {
    begin = larger_of(begin, -floor_of(high - 1 - base, -slope));
    end = smaller_of(end, floor_of(base - low, -slope) + 1);
  }
}

}  // namespace terrace::nest
