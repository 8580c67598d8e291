// The values of cells of alignments on CUDA: of one pair, or of two pairs in the halves of a word.
#pragma once

#include "kernels/values/operations.hpp"
#include "kernels/values/pair.cuh"

namespace terrace::pairs {

using device::i32;
using device::u32;

/// 32 bits, one pair.
struct SingleValues {
  using V = i32;
  static constexpr int pairs = 1;
  static constexpr i32 lowest = -(1 << 30);  // less than any value; twice as little can be computed with
  static constexpr i32 raise = 0;            // added to values that may be below 0

  __device__ static V both(i32 number) { return number; }
  __device__ static V kept(V value) { return value; }
  __device__ static V of(const i32 (&numbers)[1]) { return numbers[0]; }
  __device__ static i32 part(V value, int) { return value; }
  /// The second argument of less() that stands for a number.
  __device__ static V negated(i32 number) { return -number; }
  __device__ static V less(V value, V negated) { return value + negated; }
  /// max(a + b, c).
  __device__ static V sum_or(V a, V b, V c) { return __viaddmax_s32(a, b, c); }
  __device__ static V largest(V a, V b, V c) { return __vimax3_s32(a, b, c); }
  /// `same` where letters are equal, else `other`.
  __device__ static V where_equal(V a, V b, V same, V other) { return a == b ? same : other; }
};

/// 16 bits, two pairs. Values that are kept are not below 0.
struct HalfValues {
  using V = u32;
  static constexpr int pairs = 2;
  static constexpr i32 lowest = -(1 << 14), raise = 1 << 14;

  __device__ static V both(i32 number) { return values::both(number); }
  /// In a register.
  __device__ static V kept(V value) { return device::kept_in_register(value); }
  __device__ static V of(const i32 (&numbers)[2]) { return values::halves(numbers[0], numbers[1]); }
  __device__ static i32 part(V value, int pair) { return static_cast<device::i16>(pair == 0 ? value : value >> 16); }
  __device__ static V negated(i32 number) { return 0u - static_cast<u32>(number) * 0x10001u; }
  /// @param value not less than the number
  __device__ static V less(V value, V negated) { return values::subtract_both(value, negated); }
  __device__ static V sum_or(V a, V b, V c) { return values::add_larger(a, b, c); }
  __device__ static V largest(V a, V b, V c) { return values::largest(a, b, c); }
  __device__ static V where_equal(V a, V b, V same, V other) {
    // A half that is not 0 becomes 1, then all ones: the product carries nothing from half to half.
    const u32 differs = __vminu2(a ^ b, 0x10001u) * 0xFFFFu;
    return values::choose(differs, other, same);
  }
};

}  // namespace terrace::pairs
