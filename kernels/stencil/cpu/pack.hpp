// Packs of SIMD lanes of f32 and f64, and the operations of cells on them. Included by files that define TERRACE_ISA
// (the namespace that separates the symbols of instruction sets) and are compiled for it.
#pragma once

#include <immintrin.h>

#include "kernels/stencil/operator.hpp"
#include "kernels/values/vector_bytes.hpp"

namespace terrace::stencil::TERRACE_ISA {

using wavefront::TERRACE_ISA::vector_bytes;

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float Type __attribute__((vector_size(vector_bytes)));
};
template <>
struct VectorOf<double> {
  typedef double Type __attribute__((vector_size(vector_bytes)));
};

/// As many values of type T as a vector of this instruction set holds.
template <class T>
struct Pack {
  static constexpr i64 lanes = vector_bytes / static_cast<int>(sizeof(T));
  using Vector = typename VectorOf<T>::Type;

  Vector v;

  Pack() = default;
  TERRACE_HOST_DEVICE Pack(Vector vector) : v(vector) {}
  /// The value in every lane.
  TERRACE_HOST_DEVICE explicit Pack(T value) : v(value - Vector{}) {}

  TERRACE_HOST_DEVICE static Pack load(const T* memory) {
    Pack pack;
    __builtin_memcpy(&pack.v, memory, sizeof pack.v);
    return pack;
  }
  TERRACE_HOST_DEVICE void store(T* memory) const { __builtin_memcpy(memory, &v, sizeof v); }
};

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
/// SSE2 has no such instruction: lane by lane.
template <class T>
TERRACE_HOST_DEVICE Pack<T> fused(Pack<T> a, Pack<T> b, Pack<T> c) {
  for (int lane = 0; lane < Pack<T>::lanes; ++lane)
    c.v[lane] = stencil::fused(T(a.v[lane]), T(b.v[lane]), T(c.v[lane]));
  return c;
}
#endif

#if defined(__AVX512F__)
/// Lanes of two packs in a row, from lane `from` of the lower one on; `from` is a constant, 1 ... lanes - 1.
TERRACE_HOST_DEVICE Pack<float> joined_from(Pack<float> low, Pack<float> high, int from) {
  const auto a = reinterpret_cast<__m512i>(low.v), b = reinterpret_cast<__m512i>(high.v);
  const auto as_pack = [](__m512i bits) __attribute__((always_inline)) {
    return Pack<float>(reinterpret_cast<__m512>(bits));
  };
  constexpr __mmask16 all = 0xFFFF;  // without a mask GCC 12 warns of a value that is not initialised
  switch (from) {
    case 1:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 1));
    case 2:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 2));
    case 3:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 3));
    case 4:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 4));
    case 5:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 5));
    case 6:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 6));
    case 7:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 7));
    case 8:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 8));
    case 9:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 9));
    case 10:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 10));
    case 11:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 11));
    case 12:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 12));
    case 13:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 13));
    case 14:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 14));
    case 15:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 15));
    default:
      return low;
  }
}
TERRACE_HOST_DEVICE Pack<double> joined_from(Pack<double> low, Pack<double> high, int from) {
  const auto a = reinterpret_cast<__m512i>(low.v), b = reinterpret_cast<__m512i>(high.v);
  const auto as_pack = [](__m512i bits) __attribute__((always_inline)) {
    return Pack<double>(reinterpret_cast<__m512d>(bits));
  };
  constexpr __mmask8 all = 0xFF;
  switch (from) {
    case 1:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 1));
    case 2:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 2));
    case 3:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 3));
    case 4:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 4));
    case 5:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 5));
    case 6:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 6));
    case 7:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 7));
    default:
      return low;
  }
}
#endif

/// `kept` in the lanes in which `mask` is not 0, `made` in the others.
template <class T>
TERRACE_HOST_DEVICE Pack<T> masked(Pack<T> mask, Pack<T> kept, Pack<T> made) {
  return mask.v != typename Pack<T>::Vector{} ? kept.v : made.v;
}

}  // namespace terrace::stencil::TERRACE_ISA
