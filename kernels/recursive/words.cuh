// Values in words: what a thread of a product does with one word of each matrix. No host library header: also
// compiled at run time.
#pragma once

#include "kernels/recursive/product_tile.hpp"

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
      const u32 bits = sizeof(T) == 2 ? static_cast<device::u16>(values[lane]) : static_cast<u8>(values[lane]);
      word |= bits << (lane * 8 * static_cast<i32>(sizeof(T)));
    }
    return word;
  }
}

/// The value of one lane.
template <class S, class T>
__device__ __forceinline__ T lane_value(Word<S, T> word, i32 lane) {
  if constexpr (lanes_of<S, T> == 1) return static_cast<T>(word);
  else return static_cast<T>(word >> (lane * 8 * static_cast<i32>(sizeof(T))));
}

/// A word with the value in every lane.
template <class S, class T>
__device__ __forceinline__ Word<S, T> in_every_lane(T value) {
  T values[lanes_of<S, T>];
#pragma unroll
  for (T& each : values) each = value;
  return join<S, T>(values);
}

/// x + u * v in every lane. Products of floating-point numbers are added to x without being rounded themselves.
template <class S, class T>
__device__ __forceinline__ Word<S, T> update_word(Word<S, T> x, Word<S, T> u, Word<S, T> v) {
  using W = Word<S, T>;
  if constexpr (in_pairs<S, T>) {
    return same_type<S, MinPlus> ? __viaddmin_s16x2(u, v, x) : __viaddmax_s16x2(u, v, x);
  } else if constexpr (same_type<W, i32> && same_type<S, MinPlus>) {
    return __viaddmin_s32(u, v, x);
  } else if constexpr (same_type<W, i32> && same_type<S, MaxPlus>) {
    return __viaddmax_s32(u, v, x);
  } else if constexpr (same_type<W, float>) {
    if constexpr (same_type<S, PlusTimes>) return __fmaf_rn(u, v, x);
    else if constexpr (same_type<S, MinPlus>) return fminf(x, __fadd_rn(u, v));
    else if constexpr (same_type<S, MaxPlus>) return fmaxf(x, __fadd_rn(u, v));
    else if constexpr (same_type<S, MaxMin>) return fmaxf(x, fminf(u, v));
    else return fmaxf(x, __fmul_rn(u, v));
  } else if constexpr (same_type<W, double>) {
    if constexpr (same_type<S, PlusTimes>) return __fma_rn(u, v, x);
    else if constexpr (same_type<S, MinPlus>) return fmin(x, __dadd_rn(u, v));
    else if constexpr (same_type<S, MaxPlus>) return fmax(x, __dadd_rn(u, v));
    else if constexpr (same_type<S, MaxMin>) return fmax(x, fmin(u, v));
    else return fmax(x, __dmul_rn(u, v));
  } else {
    return S::template plus<W>(x, S::template times<W>(u, v));
  }
}

}  // namespace terrace::recursive
