// Conditions for a pivot of an elimination to be usable.
#pragma once

#include "kernels/recursive/semiring.hpp"

namespace terrace::recursive {

/// The reciprocal of the distance from 1 to the next number.
template <class T>
inline constexpr T most_quotient = sizeof(T) == 4 ? T(0x1p23) : T(0x1p52);

/// True if a pivot can be divided by: it is neither zero, nor infinite, nor NaN.
template <class T>
TERRACE_HOST_DEVICE constexpr bool is_useful_pivot(T pivot) {
  return pivot != T(0) && pivot < infinity<T>() && pivot > -infinity<T>();
}

/// True if the pivot that gave the quotient was large enough. If a row is subtracted more than most_quotient times,
/// the row that it is subtracted from is lost in rounding.
template <class T>
TERRACE_HOST_DEVICE constexpr bool is_useful_quotient(T quotient) {
  return quotient <= most_quotient<T> && quotient >= -most_quotient<T>;
}

}  // namespace terrace::recursive
