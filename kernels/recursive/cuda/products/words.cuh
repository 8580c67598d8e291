// Values in words: the operations of a product on one word of each matrix.
#pragma once

#include "kernels/recursive/cuda/products/tile.hpp"

namespace terrace::recursive {

/// The zero of algebra S among values of type T.
template <class S, class T>
__device__ __forceinline__ T zero_value() {
  return S::template zero<T>();
}

/// A word of the values' own bits; values[lane] is that lane's.
template <class S, class T>
__device__ __forceinline__ Word<S, T> join(const T* values) {
  if constexpr (lanes_of<S, T> == 1) {
    return static_cast<Word<S, T>>(values[0]);
  } else {
    u32 word = 0;
#pragma unroll
    for (i32 lane = 0; lane < lanes_of<S, T>; ++lane) {
      word |= u32{static_cast<device::u16>(values[lane])} << 16 * lane;
    }
    return word;
  }
}

/// The value of one lane.
template <class S, class T>
__device__ __forceinline__ T lane_value(Word<S, T> word, i32 lane) {
  if constexpr (lanes_of<S, T> == 1) return static_cast<T>(word);
  else return static_cast<T>(word >> 16 * lane);
}

/// The word with that value in one lane.
template <class S, class T>
__device__ __forceinline__ Word<S, T> with_lane(Word<S, T> word, i32 lane, T value) {
  if constexpr (lanes_of<S, T> == 1) {
    return static_cast<Word<S, T>>(value);
  } else {
    const i32 shift = 16 * lane;
    return (word & ~(0xFFFFu << shift)) | (u32{static_cast<device::u16>(value)} << shift);
  }
}

/// A word with the value in every lane.
template <class S, class T>
__device__ __forceinline__ Word<S, T> in_every_lane(T value) {
  T values[lanes_of<S, T>];
#pragma unroll
  for (T& each : values) each = value;
  return join<S, T>(values);
}

/// The packed form of a value of u: with its sign turned if products are subtracted.
template <class S, class T>
__device__ __forceinline__ T packed_left(T value) {
  if constexpr (same_type<S, MinusTimes>) return -value;
  else return value;
}

/// x + u * v in every lane. Products of floating-point numbers are not rounded before they are added to x.
template <class S, class T>
__device__ __forceinline__ Word<S, T> update_word(Word<S, T> x, Word<S, T> u, Word<S, T> v) {
  using W = Word<S, T>;
  if constexpr (in_pairs<S, T>) {
    return same_type<S, MinPlus> ? __viaddmin_s16x2(u, v, x) : __viaddmax_s16x2(u, v, x);
  } else if constexpr (same_type<W, i32> && same_type<S, MinPlus>) {
    return __viaddmin_s32(u, v, x);
  } else if constexpr (same_type<W, i32> && same_type<S, MaxPlus>) {
    return __viaddmax_s32(u, v, x);
  } else if constexpr (is_real<W>) {
    if constexpr (same_type<S, PlusTimes>) return values::fused(u, v, x);
    else if constexpr (same_type<S, MinusTimes>) return values::fused(-u, v, x);
    else if constexpr (same_type<S, MinPlus>) return values::least_number(x, values::plus(u, v));
    else if constexpr (same_type<S, MaxPlus>) return values::largest_number(x, values::plus(u, v));
    else if constexpr (same_type<S, MaxMin>) return values::largest_number(x, values::least_number(u, v));
    else return values::largest_number(x, values::times(u, v));
  } else {
    return S::template plus<W>(x, S::template times<W>(u, v));
  }
}

/// True if two updates of a word may be one instruction that takes the least or largest of three: for integers, and
/// for floating-point numbers if none is negative, so that the order of their bits is the order of the numbers.
template <class S, class T>
inline constexpr bool has_three = (same_type<T, i32> && (same_type<S, MinPlus> || same_type<S, MaxPlus>)) ||
                                  (same_type<T, float> && same_type<S, MinPlus>);
/// True if by three also requires that no number is negative.
template <class S, class T>
inline constexpr bool three_needs_signs = has_three<S, T>&& is_real<T>;

/// True if word (i, j) of a thread's part takes two updates by three: for integers in every other column, so that the
/// pipes of minima and of multiplications are equally busy.
template <class S, class T>
__device__ __forceinline__ constexpr bool by_three(i32 i, i32 j) {
  return has_three<S, T> && (is_real<T> || j % 2 == 0);
}

/// x + u0 * v0 + u1 * v1 in every lane, if has_three. @param one 1, which the compiler does not know: sums are then
/// multiply-adds, which use another pipe than minima
template <class S, class T>
__device__ __forceinline__ Word<S, T> update_by_three(Word<S, T> x, Word<S, T> u0, Word<S, T> v0, Word<S, T> u1,
                                                      Word<S, T> v1, i32 one) {
  if constexpr (three_needs_signs<S, T>) {
    return __int_as_float(
        __vimin3_s32(__float_as_int(x), __float_as_int(values::plus(u0, v0)), __float_as_int(values::plus(u1, v1))));
  } else if constexpr (has_three<S, T>) {
    const i32 first = u0 * one + v0, second = u1 * one + v1;
    return same_type<S, MinPlus> ? __vimin3_s32(x, first, second) : __vimax3_s32(x, first, second);
  } else {
    return x;
  }
}

/// True if a number is less than zero, or -0.0.
__device__ __forceinline__ bool has_sign(float value) { return __float_as_int(value) < 0; }

}  // namespace terrace::recursive
