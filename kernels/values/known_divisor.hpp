// Division of f32 by a divisor whose reciprocal is known: the rounded quotient by a product and two fused operations.
//
// Let y be 1 / d and q be a * y, each rounded. Then q + (a - q * d) * y, in two fused operations, is a / d rounded,
// where nothing overflows or underflows (Cornea, Golliver and Markstein, "Correctness proofs outline for
// Newton-Raphson based floating-point divide and square root algorithms", 1999; Brisebarre, Muller and Raina,
// "Accelerating correctly rounded floating-point division when the divisor is known in advance", 2004). That is so
// for 2^-40 <= |d| <= 2^40 and 2^-60 <= |q| <= 2^60: then a is within 2^-101 and 2^101, and a - q * d is a multiple
// of 2^-60-23-40-23 = 2^-146, of at most 24 bits, and so is exact. Zeros, whose sign would be lost, infinities and
// NaN are outside.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/values/rounded.hpp"

namespace terrace::values {

TERRACE_HOST_DEVICE device::u32 bits_of(float a) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(a);
#else
  return __builtin_bit_cast(device::u32, a);
#endif
}

/// What quotients are within if divided_by_known() gives them: `misses` is at most so much.
inline constexpr device::u32 known_divisor_range = (127u + 60u - (127u - 60u)) << 24;

/// 1 / d rounded; NaN if d is not within the bounds.
TERRACE_HOST_DEVICE float reciprocal_of_known(float d) {
  const float least = 0x1p-40F, most = 0x1p40F, size = magnitude(d);
  return size >= least && size <= most ? divided(1.0F, d) : float_of(0x7FC00000u);
}

/// a / d rounded if `misses` stays within known_divisor_range, else anything. @param y reciprocal_of_known(d)
/// @param misses becomes the largest one of it and of what this quotient has
TERRACE_HOST_DEVICE float divided_by_known(float a, float d, float y, device::u32& misses) {
  const float q = times(a, y);
  // Twice the bits without the sign, counted from those of the least quotient on: smaller ones are beyond the range.
  const device::u32 own = (bits_of(q) << 1) - ((127u - 60u) << 24);
  misses = own > misses ? own : misses;
  return fused(fused(-q, d, a), y, q);
}

}  // namespace terrace::values
