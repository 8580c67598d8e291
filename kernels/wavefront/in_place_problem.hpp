// The concept of an in-place problem: what one cell of a grid becomes in a sweep that overwrites the grid as it goes.
// No host library header: also compiled by nvcc and at run time.
//
// A sweep goes through the rows from top to bottom and through each row from left to right. The cells of the rim (the
// first and last row and column) keep their values; every other cell becomes cell() of itself and its neighbours. So
// those above and the one to the left are new, of this sweep; those to the right and below are old, of the sweep
// before:
//
//   up_left    up     up_right       new
//   left      self    right          new, old, old
//   down_left down    down_right     old
//
// A problem P is a struct without data:
//
//   static constexpr const char* name;       as in a job
//   static constexpr const char* help;       one sentence
//   static constexpr bool corners;           whether cell() reads the four diagonal neighbours
//   static constexpr ParameterList parameters;
//   template <class T> struct Constants;     what cell() needs beside the neighbours: numbers of the grid's type
//   template <class Reader> static Constants<double> constants(const Reader& reader);
//       from settings: reader.number("omega")
//   template <class T> static Constants<T> constants_as(const Constants<double>&);    rounded to another type
//   template <class V, class T> static V cell(const Constants<T>&, const Neighbourhood<V>&);
//
// The order of the operations in `cell` is a part of the definition: each is rounded by itself and none is
// contracted, so that every way of sweeping gives the same bits (of a NaN: that it is one). It is written in
// add() and the operations below, so that V may be T or a pack of SIMD lanes of it.
#pragma once

#include "kernels/wavefront/operations.hpp"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

/// What a cell becomes something of; problems without corners leave those unread.
template <class V>
struct Neighbourhood {
  V up_left, up, up_right;
  V left, self, right;
  V down_left, down, down_right;
};

/// a * b of floating-point values, rounded: never one operation with a sum. Of a pack `a` is the factor of all lanes.
template <class V>
TERRACE_HOST_DEVICE constexpr V product(V a, V b) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(V) == 4) return __fmul_rn(a, b);
  else return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

#if defined(__CUDACC__)
/// Where nine_parts() may not take its short way.
__device__ __noinline__ inline float nine_parts_apart(float a) { return __fdiv_rn(a, 9.0f); }
#endif

/// a / 9 of a floating-point value, rounded to the nearest.
template <class V>
TERRACE_HOST_DEVICE constexpr V nine_parts(V a) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(V) == 4) {
    // A step of Newton's method from the product with the rounded reciprocal: right for every mantissa (tried), and
    // so for every value whose remainder is no subnormal number.
    const float guess = __fmul_rn(a, 1.0f / 9.0f);
    const float rest = __fmaf_rn(-9.0f, guess, a);
    if (fabsf(a) >= 0x1p-100f && fabsf(a) <= 0x1.fffffep127f) return __fmaf_rn(rest, 1.0f / 9.0f, guess);
    return a == 0 ? guess : nine_parts_apart(a);
  } else {
    return __ddiv_rn(a, 9.0);
  }
#else
  return a / V(9);
#endif
}

}  // namespace terrace::wavefront
