// Packs of SIMD lanes and the operations of cells on them. Included by files that define TERRACE_ISA (the namespace
// that separates the symbols of instruction sets) and are compiled for it.
#pragma once

#include <immintrin.h>

#include "kernels/values/operations.hpp"
#include "kernels/values/rounded.hpp"
#include "kernels/values/vector_bytes.hpp"

namespace terrace::values::TERRACE_ISA {

using device::i16;
using device::i32;
using device::i64;

/// As many values of type T as a vector of this instruction set holds.
template <class T>
struct Pack {
  static constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  using Scalar = T;
  typedef T Vector __attribute__((vector_size(vector_bytes)));

  Vector v;

  Pack() = default;
  TERRACE_HOST_DEVICE Pack(Vector vector) : v(vector) {}
  /// The value in every lane.
  template <class N>
  TERRACE_HOST_DEVICE explicit Pack(N value) : v(static_cast<T>(value) - Vector{}) {}  // as -0 - 0 is -0

  TERRACE_HOST_DEVICE static Pack load(const T* memory) {
    Pack pack;
    __builtin_memcpy(&pack.v, memory, vector_bytes);
    return pack;
  }
  TERRACE_HOST_DEVICE void store(T* memory) const { __builtin_memcpy(memory, &v, vector_bytes); }
};

template <class T>
TERRACE_HOST_DEVICE Pack<T> add(Pack<T> a, Pack<T> b) {
  return a.v + b.v;
}
template <class T>
TERRACE_HOST_DEVICE Pack<T> subtract(Pack<T> a, Pack<T> b) {
  return a.v - b.v;
}
template <class T>
TERRACE_HOST_DEVICE Pack<T> multiply(Pack<T> a, Pack<T> b) {
  return a.v * b.v;
}
/// The operations of rounded.hpp.
template <class T>
TERRACE_HOST_DEVICE Pack<T> plus(Pack<T> a, Pack<T> b) {
  return a.v + b.v;
}
template <class T>
TERRACE_HOST_DEVICE Pack<T> minus(Pack<T> a, Pack<T> b) {
  return a.v - b.v;
}
template <class T>
TERRACE_HOST_DEVICE Pack<T> times(Pack<T> a, Pack<T> b) {
  return a.v * b.v;
}
template <class T>
TERRACE_HOST_DEVICE Pack<T> divided(Pack<T> a, Pack<T> b) {
  return a.v / b.v;
}

/// a * b + c with one rounding.
#if defined(__AVX512F__)
TERRACE_HOST_DEVICE Pack<float> fused(Pack<float> a, Pack<float> b, Pack<float> c) {
  return _mm512_fmadd_ps(a.v, b.v, c.v);
}
TERRACE_HOST_DEVICE Pack<double> fused(Pack<double> a, Pack<double> b, Pack<double> c) {
  return _mm512_fmadd_pd(a.v, b.v, c.v);
}
#elif defined(__FMA__)
TERRACE_HOST_DEVICE Pack<float> fused(Pack<float> a, Pack<float> b, Pack<float> c) {
  return _mm256_fmadd_ps(a.v, b.v, c.v);
}
TERRACE_HOST_DEVICE Pack<double> fused(Pack<double> a, Pack<double> b, Pack<double> c) {
  return _mm256_fmadd_pd(a.v, b.v, c.v);
}
#else
// Without that instruction: lane by lane.
template <class T>
TERRACE_HOST_DEVICE Pack<T> fused(Pack<T> a, Pack<T> b, Pack<T> c) {
  for (int lane = 0; lane < Pack<T>::lanes; ++lane)
    c.v[lane] = values::fused(T(a.v[lane]), T(b.v[lane]), T(c.v[lane]));
  return c;
}
#endif

template <class T>
TERRACE_HOST_DEVICE Pack<T> maximum(Pack<T> a, Pack<T> b) {
  return a.v > b.v ? a.v : b.v;
}
template <class T>
TERRACE_HOST_DEVICE Pack<T> minimum(Pack<T> a, Pack<T> b) {
  return a.v < b.v ? a.v : b.v;
}
template <class T>
TERRACE_HOST_DEVICE Pack<T> add_twice(Pack<T> a, Pack<T> b) {
  return a.v + (b.v + b.v);
}
template <class T>
TERRACE_HOST_DEVICE Pack<T> select_equal(Pack<T> a, Pack<T> b, Pack<T> if_equal, Pack<T> otherwise) {
  return a.v == b.v ? if_equal.v : otherwise.v;
}

/// The same bits as integers, and back.
TERRACE_HOST_DEVICE Pack<i32> as_bits(Pack<float> a) { return reinterpret_cast<Pack<i32>::Vector>(a.v); }
TERRACE_HOST_DEVICE Pack<i64> as_bits(Pack<double> a) { return reinterpret_cast<Pack<i64>::Vector>(a.v); }
TERRACE_HOST_DEVICE Pack<float> as_reals(Pack<i32> a) { return reinterpret_cast<Pack<float>::Vector>(a.v); }
TERRACE_HOST_DEVICE Pack<double> as_reals(Pack<i64> a) { return reinterpret_cast<Pack<double>::Vector>(a.v); }

TERRACE_HOST_DEVICE Pack<float> absolute(Pack<float> a) { return as_reals(Pack<i32>(as_bits(a).v & 0x7FFFFFFF)); }
TERRACE_HOST_DEVICE Pack<double> absolute(Pack<double> a) {
  return as_reals(Pack<i64>(as_bits(a).v & 0x7FFFFFFFFFFFFFFF));
}

/// The number of each lane and of the one before it; before lane 0 comes the first lane of a second pack.
template <class T>
struct LaneNumbers {
  alignas(64) T own[Pack<T>::lanes] = {};
  alignas(64) T previous[Pack<T>::lanes] = {};

  constexpr LaneNumbers() {
    for (int k = 0; k < Pack<T>::lanes; ++k) {
      own[k] = static_cast<T>(k);
      previous[k] = static_cast<T>(k == 0 ? Pack<T>::lanes : k - 1);
    }
  }
};

/// Lanes of a pack of T that take part: all bits set or none.
template <class T>
struct Mask {
  decltype(Pack<T>().v == Pack<T>().v) v;
};

template <class T>
TERRACE_HOST_DEVICE Pack<T> select(Mask<T> mask, Pack<T> yes, Pack<T> no) {
  return mask.v ? yes.v : no.v;
}

/// The lanes k with least <= k <= most.
template <class T>
TERRACE_HOST_DEVICE Mask<T> lanes_between(i64 least, i64 most) {
  static constexpr LaneNumbers<T> numbers;
  constexpr i64 lanes = Pack<T>::lanes;
  const Pack<T> number = Pack<T>::load(numbers.own);
  const Pack<T> low(values::maximum(values::minimum(least, lanes), i64(0)));
  const Pack<T> high(values::maximum(values::minimum(most, lanes), i64(-1)));
  return {(number.v >= low.v) & (number.v <= high.v)};
}

/// a - b if that is positive, else 0, for a, b >= 0.
TERRACE_HOST_DEVICE Pack<i16> subtract_or_zero(Pack<i16> a, Pack<i16> b) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Pack<i16>::Vector>(
      _mm512_subs_epu16(reinterpret_cast<__m512i>(a.v), reinterpret_cast<__m512i>(b.v)));
#elif defined(__AVX2__)
  return reinterpret_cast<Pack<i16>::Vector>(
      _mm256_subs_epu16(reinterpret_cast<__m256i>(a.v), reinterpret_cast<__m256i>(b.v)));
#else
  return reinterpret_cast<Pack<i16>::Vector>(
      _mm_subs_epu16(reinterpret_cast<__m128i>(a.v), reinterpret_cast<__m128i>(b.v)));
#endif
}
template <class T>
TERRACE_HOST_DEVICE Pack<T> subtract_or_zero(Pack<T> a, Pack<T> b) {
  return maximum(subtract(a, b), Pack<T>(0));
}

template <class T>
TERRACE_HOST_DEVICE Pack<T> subtract_maximum_zero(Pack<T> a, Pack<T> b, Pack<T> c) {
  return maximum(subtract_or_zero(a, b), c);
}

/// With h - first at least 0, so is max(e - next, h - first): one clamp serves both gaps.
template <class T>
TERRACE_HOST_DEVICE Gaps<Pack<T>> gaps_or_zero(Pack<T> h, Pack<T>, Pack<T> e, Pack<T> f, Pack<T> first,
                                               Pack<T> next) {
  const Pack<T> opened = subtract_or_zero(h, first);
  return {maximum(subtract(e, next), opened), maximum(subtract(f, next), opened)};
}

/// `kept` in the lanes in which `mask` is not 0, `made` in the others.
template <class T>
TERRACE_HOST_DEVICE Pack<T> masked(Pack<T> mask, Pack<T> kept, Pack<T> made) {
  return mask.v != typename Pack<T>::Vector{} ? kept.v : made.v;
}

/// Lane k of the result is lane k - 1 of `pack`, lane 0 is `value`.
template <class T>
TERRACE_HOST_DEVICE Pack<T> shift_in(Pack<T> pack, T value) {
  using Vector = typename Pack<T>::Vector;
#if defined(__AVX512BW__)
  static constexpr LaneNumbers<T> numbers;
  const Pack<T> from = Pack<T>::load(numbers.previous);
  return __builtin_shuffle(pack.v, Vector{} + value, from.v);
#elif defined(__AVX2__)
  const __m256i v = reinterpret_cast<__m256i>(pack.v);
  const __m256i carried = _mm256_permute2x128_si256(v, v, 0x08);
  const __m256i moved = _mm256_alignr_epi8(v, carried, 16 - static_cast<int>(sizeof(T)));
  return reinterpret_cast<Vector>(moved) | Vector{value};
#else
  const __m128i v = reinterpret_cast<__m128i>(pack.v);
  return reinterpret_cast<Vector>(_mm_slli_si128(v, static_cast<int>(sizeof(T)))) | Vector{value};
#endif
}
TERRACE_HOST_DEVICE Pack<float> shift_in(Pack<float> pack, float value) {
  return as_reals(shift_in(as_bits(pack), __builtin_bit_cast(i32, value)));
}
TERRACE_HOST_DEVICE Pack<double> shift_in(Pack<double> pack, double value) {
  return as_reals(shift_in(as_bits(pack), __builtin_bit_cast(i64, value)));
}

}  // namespace terrace::values::TERRACE_ISA
