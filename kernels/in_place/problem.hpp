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
//   static constexpr bool weighs;            whether weigh() is more than the value
//   template <class V, class T> static V weigh(const Constants<T>&, V value);    as its neighbours take a cell
//   template <class V, class T> static V cell(const Constants<T>&, const Neighbourhood<V>&);
//       from the value of the cell itself and the neighbours as weigh() gives them
//
// The order of the operations in `cell` is a part of the definition: each is rounded by itself and none is
// contracted, so that every way of sweeping gives the same bits (of a NaN: that it is one). It is written in
// add() and the operations below, so that V may be T or a pack of SIMD lanes of it.
#pragma once

#include "kernels/values/operations.hpp"
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

/// a / 9 of a floating-point value, rounded to the nearest.
template <class V>
TERRACE_HOST_DEVICE constexpr V nine_parts(V a) {
#if defined(__CUDA_ARCH__)
  // The product in f64 is so near to the quotient that nothing between two values of f32 lies between them (tried for
  // every value).
  if constexpr (sizeof(V) == 4) return static_cast<V>(__dmul_rn(static_cast<double>(a), 1.0 / 9.0));
  else return __ddiv_rn(a, 9.0);
#else
  return a / V(9);
#endif
}

/// What a cell becomes, from values.
template <class P, class V, class T>
TERRACE_HOST_DEVICE constexpr V cell_of_values(const T& k, const Neighbourhood<V>& n) {
  const auto weighed = [&](V value) { return P::weigh(k, value); };
  return P::cell(k, Neighbourhood<V>{weighed(n.up_left), weighed(n.up), weighed(n.up_right), weighed(n.left), n.self,
                                     weighed(n.right), weighed(n.down_left), weighed(n.down), weighed(n.down_right)});
}

}  // namespace terrace::wavefront
