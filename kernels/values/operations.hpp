// The operations that cells are written in, for scalars; packs and pairs in a register bring overloads of the same
// names (found by argument-dependent lookup) that use the instructions they have.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::values {

// Minima and maxima of zeros of both signs are either one, and there are no NaNs. smaller() and larger() in
// rounded.hpp are defined for both.

template <class V>
TERRACE_HOST_DEVICE constexpr V maximum(V a, V b) {
  return a > b ? a : b;
}

template <class V>
TERRACE_HOST_DEVICE constexpr V maximum(V a, V b, V c) {
  return maximum(maximum(a, b), c);
}

template <class V>
TERRACE_HOST_DEVICE constexpr V minimum(V a, V b) {
  return a < b ? a : b;
}

/// a + b. Sums of i16 stay i16.
template <class V>
TERRACE_HOST_DEVICE constexpr V add(V a, V b) {
  return static_cast<V>(a + b);
}

template <class V>
TERRACE_HOST_DEVICE constexpr V subtract(V a, V b) {
  return static_cast<V>(a - b);
}

template <class V>
TERRACE_HOST_DEVICE constexpr V multiply(V a, V b) {
  return static_cast<V>(a * b);
}

/// a + 2 b with one rounding; 2 b does not overflow.
template <class V>
TERRACE_HOST_DEVICE constexpr V add_twice(V a, V b) {
  return static_cast<V>(a + (b + b));
}

/// The absolute value; for a floating 0 the positive one.
template <class V>
TERRACE_HOST_DEVICE constexpr V absolute(V a) {
  return a > V(0) ? a : static_cast<V>(V(0) - a);
}

/// `if_equal` if a == b, else `otherwise`; a choice of values, never a branch.
template <class V>
TERRACE_HOST_DEVICE constexpr V select_equal(V a, V b, V if_equal, V otherwise) {
  return a == b ? if_equal : otherwise;
}

/// max(a - b, c).
template <class V>
TERRACE_HOST_DEVICE constexpr V subtract_maximum(V a, V b, V c) {
  return maximum(subtract(a, b), c);
}

/// max(a - b, c, 0) for a >= 0 and b >= 0; c may be negative.
template <class V>
TERRACE_HOST_DEVICE constexpr V subtract_maximum_zero(V a, V b, V c) {
  return maximum(subtract(a, b), c, V(0));
}

/// The two gaps that a cell of an alignment hands on.
template <class V>
struct Gaps {
  V right, down;
};

/// {max(e - next, h - first), max(f - next, h - first)}.
template <class V>
TERRACE_HOST_DEVICE constexpr Gaps<V> gaps(V h, V e, V f, V first, V next) {
  const V opened = subtract(h, first);
  return {subtract_maximum(e, next, opened), subtract_maximum(f, next, opened)};
}

/// {max(e - next, h - first, 0), max(f - next, h - first, 0)} for h = max(without_f, f), next <= first, and arguments
/// that are not negative. One operation, because its parts are shared differently from machine to machine:
/// max(f - next, without_f - first, 0) is the second, too.
template <class V>
TERRACE_HOST_DEVICE constexpr Gaps<V> gaps_or_zero(V h, V, V e, V f, V first, V next) {
  const V opened = subtract(h, first);
  return {subtract_maximum_zero(e, next, opened), subtract_maximum_zero(f, next, opened)};
}

}  // namespace terrace::values
