// The concept of an in-place problem: the update of one cell in a sweep that overwrites the grid as it goes.
//
// A sweep goes through the rows from top to bottom and through each row from left to right. The cells of the rim (the
// first and last row and column) keep their values; every other cell becomes cell() of itself and its neighbours. So
// the neighbours above and to the left are new, of this sweep; those to the right and below are old, of the sweep
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
//   static constexpr bool corners;           true if cell() reads the four diagonal neighbours
//   static constexpr ParameterList parameters;
//   template <class T> struct Constants;     more operands of cell(): numbers of the grid's type
//   template <class Reader> static Constants<double> constants(const Reader& reader);
//       from settings: reader.number("omega")
//   template <class T> static Constants<T> constants_as(const Constants<double>&);    rounded to another type
//   static constexpr bool weighs;            true if weigh() is not the value
//   template <class V, class T> static V weigh(const Constants<T>&, V value);    a cell as its neighbours' operand
//   template <class V, class T> static V cell(const Constants<T>&, const Neighbourhood<V>&);
//       from the value of the cell itself and the neighbours as weigh() gives them
//
// The order of the operations in `cell` is a part of the definition: each is rounded by itself and none is
// contracted, so that every way of sweeping gives the same bits (a NaN stays a NaN). It is written in
// add() and the operations of rounded.hpp and below, so that V may be T or a pack of SIMD lanes of it.
#pragma once

#include "kernels/values/operations.hpp"
#include "kernels/values/rounded.hpp"
#include "pipeline/base/parameter.hpp"

namespace terrace::in_place {

using namespace values;
using device::i64;

/// The 3 x 3 neighbourhood from which a cell is updated. Problems without corners do not read the diagonal members.
template <class V>
struct Neighbourhood {
  V up_left, up, up_right;
  V left, self, right;
  V down_left, down, down_right;
};

/// a / 9 of a floating-point value, rounded to the nearest.
template <class V>
TERRACE_HOST_DEVICE constexpr V nine_parts(V a) {
#if defined(__CUDA_ARCH__)
  // The product in f64 is so near to the quotient that both round to the same value of f32 (tried for every value).
  if constexpr (sizeof(V) == 4) return static_cast<V>(times(static_cast<double>(a), 1.0 / 9.0));
  else return divided(a, V(9));
#else
  return divided(a, V(9));
#endif
}

/// The new value of a cell, from values that are not weighed.
template <class P, class V, class T>
TERRACE_HOST_DEVICE constexpr V cell_of_values(const T& k, const Neighbourhood<V>& n) {
  const auto weighed = [&](V value) { return P::weigh(k, value); };
  return P::cell(k, Neighbourhood<V>{weighed(n.up_left), weighed(n.up), weighed(n.up_right), weighed(n.left), n.self,
                                     weighed(n.right), weighed(n.down_left), weighed(n.down), weighed(n.down_right)});
}

}  // namespace terrace::in_place
