// A 32-bit value of a cell on the device, with the fused operations that Hopper has (older chips run the toolkit's
// substitutes). No host library header: also compiled at run time.
#pragma once

#include "kernels/wavefront/bits.hpp"
#include "kernels/wavefront/operations.hpp"

namespace terrace::wavefront {

using device::i32;
using device::i64;

/// a + b by a multiply-add: it runs beside the pipe of minima and maxima, which is the one that fills up.
TERRACE_HOST_DEVICE i32 add_aside(i32 a, i32 b) {
  return static_cast<i32>(add_bits(static_cast<u32>(a), static_cast<u32>(b)));
}

/// An i32 with the operations of operations.hpp; found there by argument-dependent lookup.
struct Word {
  i32 value;

  Word() = default;
  TERRACE_HOST_DEVICE explicit constexpr Word(i64 number) : value(static_cast<i32>(number)) {}
  TERRACE_HOST_DEVICE explicit operator i64() const { return value; }

  TERRACE_HOST_DEVICE friend bool operator==(Word a, Word b) { return a.value == b.value; }
  TERRACE_HOST_DEVICE friend bool operator>(Word a, Word b) { return a.value > b.value; }
  TERRACE_HOST_DEVICE friend bool operator>=(Word a, Word b) { return a.value >= b.value; }
};

TERRACE_HOST_DEVICE Word word(i32 value) {
  Word result;
  result.value = value;
  return result;
}

TERRACE_HOST_DEVICE Word maximum(Word a, Word b) { return word(a.value > b.value ? a.value : b.value); }
TERRACE_HOST_DEVICE Word maximum(Word a, Word b, Word c) { return word(__vimax3_s32(a.value, b.value, c.value)); }
TERRACE_HOST_DEVICE Word minimum(Word a, Word b) { return word(a.value < b.value ? a.value : b.value); }
TERRACE_HOST_DEVICE Word add(Word a, Word b) { return word(a.value + b.value); }
TERRACE_HOST_DEVICE Word subtract(Word a, Word b) { return word(a.value - b.value); }
TERRACE_HOST_DEVICE Word select_equal(Word a, Word b, Word if_equal, Word otherwise) {
  return word(a.value == b.value ? if_equal.value : otherwise.value);
}
TERRACE_HOST_DEVICE Word subtract_maximum(Word a, Word b, Word c) {
  return word(__viaddmax_s32(a.value, -b.value, c.value));
}
TERRACE_HOST_DEVICE Word subtract_maximum_zero(Word a, Word b, Word c) {
  return word(__viaddmax_s32_relu(a.value, -b.value, c.value));
}
TERRACE_HOST_DEVICE Gaps<Word> gaps(Word h, Word e, Word f, Word first, Word next) {
  const Word opened = word(add_aside(h.value, -first.value));
  return {subtract_maximum(e, next, opened), subtract_maximum(f, next, opened)};
}
TERRACE_HOST_DEVICE Gaps<Word> gaps_or_zero(Word h, Word e, Word f, Word first, Word next) {
  const i32 opened = add_aside(h.value, -first.value);
  return {word(__viaddmax_s32_relu(e.value, -next.value, opened)),
          word(__viaddmax_s32_relu(f.value, -next.value, opened))};
}

/// A value as a block reports it (problem.hpp).
TERRACE_HOST_DEVICE i64 reported(Word value) { return value.value; }

__device__ __forceinline__ Word shuffle_up(Word value) { return word(__shfl_up_sync(~0u, value.value, 1)); }
__device__ __forceinline__ i64 shuffle_up(i64 value) { return __shfl_up_sync(~0u, value, 1); }

}  // namespace terrace::wavefront
