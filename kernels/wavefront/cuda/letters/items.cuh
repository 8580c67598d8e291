// Items of rows and columns, letters or values: in their form in memory, as values for cells, and letters as codes
// that select their scores.
#pragma once

#include "kernels/launch/port.cuh"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

/// An item as it lies in memory.
template <bool letters, class V>
struct RawItemOf {
  using Type = V;
};
template <class V>
struct RawItemOf<true, V> {
  using Type = device::u8;
};

/// Items in their form in memory, as values, and letters as codes that select their scores.
template <class P, class V>
struct ItemsOf {
  using Raw = typename RawItemOf<P::items == Items::letters, V>::Type;
  __device__ __forceinline__ static Raw raw(const void* items, i64 index) {
    return device::load_past_l1(static_cast<const Raw*>(items) + index);
  }
  __device__ __forceinline__ static V value(Raw item) {
    if constexpr (P::items == Items::letters) return V(static_cast<i64>(item));
    else return item;
  }
  __device__ __forceinline__ static V at(const void* items, i64 index) { return value(raw(items, index)); }

  /// The byte that picks the score of a letter; of one that is not below 4 its complement, which is negative.
  __device__ __forceinline__ static V code(V letter) {
    const i64 letter_code = static_cast<i64>(letter);
    return V(letter_code < 4 ? i64{1} << (8 * letter_code) : ~letter_code);
  }
  __device__ __forceinline__ static bool is_odd(V code) { return V(0) > code; }
};

}  // namespace terrace::wavefront
