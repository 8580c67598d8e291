// The list of semirings as types.
#pragma once

#include "kernels/recursive/semiring.hpp"

namespace terrace::recursive {

template <class... Ss>
struct SemiringList {};

/// Every algebra that there are kernels for.
using Semirings = SemiringList<PlusTimes, MinPlus, MaxPlus, MaxMin, OrAnd, MaxTimes, MinusTimes>;

template <class A, class B>
inline constexpr bool same_type = false;
template <class A>
inline constexpr bool same_type<A, A> = true;

/// The number of S in the list, from 0.
template <class S, class... Ss>
constexpr int semiring_index(SemiringList<Ss...>) {
  int index = 0;
  (void)((same_type<S, Ss> ? false : (++index, true)) && ...);
  return index;
}

/// True if BLAS computes S in real numbers: x + u * v or x - u * v.
template <class S, class T>
inline constexpr bool is_linear = is_real<T> && (same_type<S, PlusTimes> || same_type<S, MinusTimes>);

}  // namespace terrace::recursive
