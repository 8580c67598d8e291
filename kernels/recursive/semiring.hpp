// The algebras of the recursive family: what takes the place of + and * in x <- x + u * v. No host library header:
// also compiled by nvcc and at run time.
//
// A semiring S is a struct without data:
//
//   static constexpr const char* name;        as in a job
//   static constexpr const char* help;        one sentence
//   static constexpr bool idempotent;         whether plus(a, a) == a
//   template <class T> static constexpr T zero();         plus(zero, a) == a, times(zero, a) counts as zero
//   template <class V> static constexpr V plus(V, V);     of T, or of a vector of them
//   template <class V> static constexpr V times(V, V);
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::recursive {

template <class T>
inline constexpr bool is_real = T(1) / T(2) != T(0);

/// What "no path" is: IEEE infinity, or half the largest value of a signed integer, so that twice it fits.
template <class T>
TERRACE_HOST_DEVICE constexpr T infinity() {
  if constexpr (is_real<T>) return static_cast<T>(__builtin_inf());
  else return static_cast<T>((T(1) << (8 * sizeof(T) - 2)) - 1);
}

/// The shortest way: minimum and sum.
struct MinPlus {
  static constexpr const char* name = "min_plus";
  static constexpr const char* help = "shortest paths: the least sum";
  static constexpr bool idempotent = true;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T zero() {
    return infinity<T>();
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V plus(V a, V b) {
    return b < a ? b : a;
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V times(V a, V b) {
    return static_cast<V>(a + b);
  }
};

}  // namespace terrace::recursive
