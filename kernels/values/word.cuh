// A 32-bit value of a cell on the device, with the fused operations that Hopper has (older chips run the toolkit's
// substitutes).
#pragma once

#include "kernels/values/bits.hpp"
#include "kernels/values/operations.hpp"

namespace terrace::values {

using device::i32;
using device::i64;

/// a + b by a multiply-add: it does not use the pipe of minima and maxima, which is the full one.
TERRACE_HOST_DEVICE i32 add_aside(i32 a, i32 b) {
  return static_cast<i32>(add_bits(static_cast<u32>(a), static_cast<u32>(b)));
}

/// An i32 with the operations of operations.hpp; found there by argument-dependent lookup.
/// @tparam swift if one operation has several forms, the one with the shortest way from the cell above to the cell
///   below, instead of the one with the fewest operations
template <bool swift>
struct WordOf {
  i32 value;

  WordOf() = default;
  TERRACE_HOST_DEVICE explicit constexpr WordOf(i64 number) : value(static_cast<i32>(number)) {}
  TERRACE_HOST_DEVICE explicit operator i64() const { return value; }

  TERRACE_HOST_DEVICE friend bool operator==(WordOf a, WordOf b) { return a.value == b.value; }
  TERRACE_HOST_DEVICE friend bool operator>(WordOf a, WordOf b) { return a.value > b.value; }
  TERRACE_HOST_DEVICE friend bool operator>=(WordOf a, WordOf b) { return a.value >= b.value; }

  TERRACE_HOST_DEVICE static WordOf of(i32 value) {
    WordOf result;
    result.value = value;
    return result;
  }
  TERRACE_HOST_DEVICE friend WordOf maximum(WordOf a, WordOf b) { return of(a.value > b.value ? a.value : b.value); }
  TERRACE_HOST_DEVICE friend WordOf maximum(WordOf a, WordOf b, WordOf c) {
    return of(__vimax3_s32(a.value, b.value, c.value));
  }
  TERRACE_HOST_DEVICE friend WordOf minimum(WordOf a, WordOf b) { return of(a.value < b.value ? a.value : b.value); }
  TERRACE_HOST_DEVICE friend WordOf add(WordOf a, WordOf b) { return of(a.value + b.value); }
  TERRACE_HOST_DEVICE friend WordOf subtract(WordOf a, WordOf b) { return of(a.value - b.value); }
  TERRACE_HOST_DEVICE friend WordOf select_equal(WordOf a, WordOf b, WordOf if_equal, WordOf otherwise) {
    return of(a.value == b.value ? if_equal.value : otherwise.value);
  }
  TERRACE_HOST_DEVICE friend WordOf subtract_maximum_zero(WordOf a, WordOf b, WordOf c) {
    return of(__viaddmax_s32_relu(a.value, -b.value, c.value));
  }
  TERRACE_HOST_DEVICE friend WordOf subtract_maximum(WordOf a, WordOf b, WordOf c) {
    return of(__viaddmax_s32(a.value, -b.value, c.value));
  }
  TERRACE_HOST_DEVICE friend Gaps<WordOf> gaps(WordOf h, WordOf e, WordOf f, WordOf first, WordOf next) {
    const WordOf opened = of(add_aside(h.value, -first.value));
    return {subtract_maximum(e, next, opened), subtract_maximum(f, next, opened)};
  }
  TERRACE_HOST_DEVICE friend Gaps<WordOf> gaps_or_zero(WordOf h, WordOf without_f, WordOf e, WordOf f, WordOf first,
                                                       WordOf next) {
    const i32 opened = add_aside(h.value, -first.value);
    const i32 opened_down = swift ? add_aside(without_f.value, -first.value) : opened;
    return {of(__viaddmax_s32_relu(e.value, -next.value, opened)),
            of(__viaddmax_s32_relu(f.value, -next.value, opened_down))};
  }
};

using Word = WordOf<false>;

/// V, or if that is so wanted and there is one, the form of it that hurries from cell to cell.
template <class V, bool swift>
struct SwiftOf {
  using Type = V;
};
template <>
struct SwiftOf<Word, true> {
  using Type = WordOf<true>;
};
template <class V, bool swift>
using Swift = typename SwiftOf<V, swift>::Type;

/// The same bits in another form.
template <class W, class V>
TERRACE_HOST_DEVICE W as(V value) {
  if constexpr (requires {
                  requires sizeof(W) == sizeof(WordOf<true>);
                  W::of(value.value);
                })
    return W::of(value.value);
  else return value;
}

/// A value as a block reports it (problem.hpp).
TERRACE_HOST_DEVICE i64 reported(Word value) { return value.value; }

__device__ __forceinline__ Word shuffle_up(Word value) { return Word::of(__shfl_up_sync(~0u, value.value, 1)); }
__device__ __forceinline__ i64 shuffle_up(i64 value) { return __shfl_up_sync(~0u, value, 1); }

/// 2^n value + low.
template <int n>
__device__ __forceinline__ Word with_low_bits(Word value, int low) {
  return Word::of(static_cast<i32>(shift_add<n>(static_cast<u32>(value.value), static_cast<u32>(low))));
}
template <int n>
__device__ __forceinline__ i64 with_low_bits(i64 value, int low) {
  return (value << n) + low;
}

/// The largest value of all lanes.
__device__ __forceinline__ Word maximum_of_warp(Word value) { return Word::of(__reduce_max_sync(~0u, value.value)); }
__device__ __forceinline__ i64 maximum_of_warp(i64 value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value = maximum(value, static_cast<i64>(__shfl_xor_sync(~0u, value, distance)));
  }
  return value;
}

}  // namespace terrace::values
