// Words in which every bit is a row, for the bit-parallel forms of problems.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::values {

using device::u32;
using device::u64;

/// Bits of a letter's code.
inline constexpr int code_bits = 8;

/// Letters that the rows and columns of a block may have.
enum class BitLetters {
  four,  // the columns' are below 4; other letters of the rows equal nothing
  rare,  // other letters of the columns equal nothing, either
  any    // letters of any codes
};

#if defined(__CUDACC__)
/// Powers of 2 that the compiler does not know: multiply-adds do not use the pipe of logic operations, which is the
/// full one.
static __constant__ u32 powers_aside[] = {1, 2, 4, 8, 16, 32};
#endif

/// 2^n a + b, modulo 2^32.
template <int n>
TERRACE_HOST_DEVICE u32 shift_add(u32 a, u32 b) {
#if defined(__CUDA_ARCH__)
  return a * powers_aside[n] + b;
#else
  return (a << n) + b;
#endif
}
TERRACE_HOST_DEVICE u32 add_bits(u32 a, u32 b) { return shift_add<0>(a, b); }

/// 2 word + bit, modulo 2^32.
TERRACE_HOST_DEVICE u32 shift_aside(u32 word, u32 bit) { return shift_add<1>(word, bit); }

/// The same; `bit` becomes the highest one, which is shifted out.
TERRACE_HOST_DEVICE u32 shift_in(u32 word, u32& bit) {
  const u32 shifted = shift_aside(word, bit);
  bit = word >> 31;
  return shifted;
}

/// The highest bit, which is shifted out.
TERRACE_HOST_DEVICE u32 take_highest(u32& word) {
  const u32 bit = word >> 31;
  word = shift_aside(word, 0);
  return bit;
}

/// a + b + carry, modulo 2^32; a must have all bits of b; `carry`, 0 or 1, becomes the carry out.
TERRACE_HOST_DEVICE u32 add_with_carry(u32 a, u32 b, u32& carry) {
  const u64 sum = static_cast<u64>(a) + b + carry;
  carry = static_cast<u32>(sum >> 32);
  return static_cast<u32>(sum);
}

}  // namespace terrace::values
