// When a pivot of an elimination is of use.
#pragma once

#include "kernels/recursive/semiring.hpp"

namespace terrace::recursive {

/// The reciprocal of the distance from 1 to the next number.
template <class T>
inline constexpr T most_quotient = sizeof(T) == 4 ? T(0x1p23) : T(0x1p52);

/// Whether a pivot can be divided by: it is neither zero nor infinite, nor no number at all.
template <class T>
TERRACE_HOST_DEVICE constexpr bool is_useful_pivot(T pivot) {
  return pivot != T(0) && pivot < infinity<T>() && pivot > -infinity<T>();
}

/// Whether the pivot that gave that quotient was large enough. Of a row that is taken away more often than
/// most_quotient times, nothing is left in rounding of the row that it is taken from.
template <class T>
TERRACE_HOST_DEVICE constexpr bool is_useful_quotient(T quotient) {
  return quotient <= most_quotient<T> && quotient >= -most_quotient<T>;
}

}  // namespace terrace::recursive
