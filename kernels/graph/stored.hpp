// Values of arrays as they are stored, and as the graph computes them.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/values/rounded.hpp"

namespace terrace::graph {

/// True of integers.
template <class Stored>
inline constexpr bool is_whole = static_cast<Stored>(0.5) == 0;

/// The largest value of a type of integers.
template <class Stored>
inline constexpr auto largest_stored =
    static_cast<Stored>(~device::u64{0} >> (64 - 8 * sizeof(Stored) + (static_cast<Stored>(-1) < 0 ? 1 : 0)));

/// The nearest whole number; of two the even one.
TERRACE_HOST_DEVICE float nearest_whole(float a) {
#if defined(__CUDA_ARCH__)
  return rintf(a);
#else
  return __builtin_nearbyintf(a);
#endif
}
TERRACE_HOST_DEVICE double nearest_whole(double a) {
#if defined(__CUDA_ARCH__)
  return rint(a);
#else
  return __builtin_nearbyint(a);
#endif
}

/// A value of an input as values of the graph are: whole numbers are divided by the largest one of their type.
template <class T, class Stored>
TERRACE_HOST_DEVICE T loaded(Stored value) {
  if constexpr (is_whole<Stored>)
    return values::divided(static_cast<T>(value), static_cast<T>(largest_stored<Stored>));
  else return static_cast<T>(value);
}

/// A value of the graph as a kept node has it: as a whole number it is scaled, rounded to the nearest one (half to
/// even) and clamped. NaN becomes 0.
template <class Stored, class T>
TERRACE_HOST_DEVICE Stored stored(T value) {
  if constexpr (is_whole<Stored>) {
    constexpr T most{largest_stored<Stored>};
    const T scaled = nearest_whole(values::times(value, most));
    return static_cast<Stored>(scaled > 0 ? values::smaller(scaled, most) : T{0});
  } else {
    return static_cast<Stored>(value);
  }
}

}  // namespace terrace::graph
