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
  TERRACE_HOST_DEVICE explicit Pack(T value) : v(Vector{} + value) {}

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

/// `kept` in the lanes in which `mask` is not 0, `made` in the others.
template <class T>
TERRACE_HOST_DEVICE Pack<T> masked(Pack<T> mask, Pack<T> kept, Pack<T> made) {
  return mask.v != typename Pack<T>::Vector{} ? kept.v : made.v;
}

}  // namespace terrace::stencil::TERRACE_ISA
