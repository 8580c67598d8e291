// Two numbers of 16 bits in a word, the halves. Halves of cells are not negative, so that a number is added to or
// subtracted from both by one sum of words if no half overflows.
#pragma once

#include "kernels/device/instructions.cuh"
#include "kernels/values/bits.hpp"

namespace terrace::values {

using device::i32;
using device::u32;

/// Both halves the same. @param number from -2^15 to 2^15 - 1
__device__ __forceinline__ u32 both(i32 number) { return static_cast<u32>(number & 0xFFFF) * 0x10001u; }
__device__ __forceinline__ u32 halves(i32 low, i32 high) {
  return static_cast<u32>(low & 0xFFFF) | static_cast<u32>(high) << 16;
}
__device__ __forceinline__ i32 low_half(u32 pair) { return static_cast<i32>(pair & 0xFFFFu); }
__device__ __forceinline__ i32 high_half(u32 pair) { return static_cast<i32>(pair >> 16); }
/// All bits of the halves for which it is so.
__device__ __forceinline__ u32 mask_of(bool low, bool high) {
  return (low ? 0xFFFFu : 0u) | (high ? 0xFFFF0000u : 0u);
}
/// For each half, the half of a if the mask has ones, else the half of b.
__device__ __forceinline__ u32 choose(u32 mask, u32 a, u32 b) { return (a & mask) | (b & ~mask); }

__device__ __forceinline__ u32 larger(u32 a, u32 b) { return __vmaxs2(a, b); }
__device__ __forceinline__ u32 largest(u32 a, u32 b, u32 c) { return __vimax3_s16x2(a, b, c); }
/// max(a + b, c).
__device__ __forceinline__ u32 add_larger(u32 a, u32 b, u32 c) { return __viaddmax_s16x2(a, b, c); }
/// a less a number that is no larger than either half, on a pipe that minima and maxima leave free.
/// @param less minus that number, times 0x10001, modulo 2^32
__device__ __forceinline__ u32 subtract_both(u32 a, u32 less) { return add_bits(a, less); }

/// 2^16, which the compiler does not know (powers_aside in values/bits.hpp).
static __constant__ u32 upper_half_aside = 1u << 16;
/// A word of two halves, on a pipe that minima and maxima leave free. @param low, high less than 2^16
__device__ __forceinline__ u32 join_halves(u32 low, u32 high) { return high * upper_half_aside + low; }

/// {low half of a, low half of b}, {high half of a, high half of b}, {high half of a, low half of b}.
__device__ __forceinline__ u32 lows(u32 a, u32 b) { return __byte_perm(a, b, 0x5410); }
__device__ __forceinline__ u32 highs(u32 a, u32 b) { return __byte_perm(a, b, 0x7632); }
__device__ __forceinline__ u32 high_and_low(u32 a, u32 b) { return __byte_perm(a, b, 0x5432); }

}  // namespace terrace::values
