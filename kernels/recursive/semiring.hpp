// The algebras of the recursive family: operations in place of + and * in x <- x + u * v.
//
// A semiring S is a struct without data:
//
//   static constexpr const char* name;        as in a job
//   static constexpr const char* help;        one sentence
//   static constexpr Nothing nothing;         the value of its zero
//   template <class T> static constexpr T zero();         plus(zero, a) == a, times(zero, a) counts as zero
//   template <class T> static constexpr bool has;         true if there are kernels of values of that type
//   template <class V> static constexpr V plus(V, V);     of T, or of a vector of them
//   template <class V> static constexpr V times(V, V);
//   using Result = ...;                       of factors that are bits: the type of a product's elements
//
// Not all are semirings by the book: of plus and times the kernels ask only that zero counts as nothing.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"
#include "kernels/values/rounded.hpp"

namespace terrace::recursive {

template <class T>
inline constexpr bool is_real = T(1) / T(2) != T(0);

/// The value for "no path": IEEE infinity, or half the largest value of a signed integer, so that twice it fits.
template <class T>
TERRACE_HOST_DEVICE constexpr T infinity() {
  if constexpr (is_real<T>) return static_cast<T>(__builtin_bit_cast(double, 0x7FF0000000000000ull));
  else return static_cast<T>((T(1) << (8 * sizeof(T) - 2)) - 1);
}

/// True if the factors of its products are tables of bits, and there are no kernels of values.
template <class S>
inline constexpr bool is_of_bits = requires {
  typename S::Result;
};

/// The zero of an algebra.
enum class Nothing {
  zero,            // 0
  infinity,        // infinity<T>()
  minus_infinity,  // -infinity<T>()
  false_           // 0, and every other value is 1
};

struct PlusTimes {
  static constexpr const char* name = "plus_times";
  static constexpr const char* help = "sums of products: the matrix product";
  static constexpr Nothing nothing = Nothing::zero;
  template <class T>
  static constexpr bool has = true;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T zero() {
    return T(0);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V plus(V a, V b) {
    return static_cast<V>(a + b);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V times(V a, V b) {
    return static_cast<V>(a * b);
  }
};

/// The shortest way: minimum and sum.
struct MinPlus {
  static constexpr const char* name = "min_plus";
  static constexpr const char* help = "least sums: shortest paths";
  static constexpr Nothing nothing = Nothing::infinity;
  template <class T>
  static constexpr bool has = true;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T zero() {
    return infinity<T>();
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V plus(V a, V b) {
    return values::smaller(a, b);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V times(V a, V b) {
    return static_cast<V>(a + b);
  }
};

/// The longest path if there are no cycles.
struct MaxPlus {
  static constexpr const char* name = "max_plus";
  static constexpr const char* help = "largest sums: longest paths, schedules";
  static constexpr Nothing nothing = Nothing::minus_infinity;
  template <class T>
  static constexpr bool has = true;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T zero() {
    return static_cast<T>(-infinity<T>());
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V plus(V a, V b) {
    return values::larger(a, b);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V times(V a, V b) {
    return static_cast<V>(a + b);
  }
};

/// The widest way: the largest of the narrowest places.
struct MaxMin {
  static constexpr const char* name = "max_min";
  static constexpr const char* help = "largest of least: widest paths";
  static constexpr Nothing nothing = Nothing::minus_infinity;
  template <class T>
  static constexpr bool has = true;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T zero() {
    return static_cast<T>(-infinity<T>());
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V plus(V a, V b) {
    return values::larger(a, b);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V times(V a, V b) {
    return values::smaller(a, b);
  }
};

/// Existence of a path, in 0 and 1.
struct OrAnd {
  static constexpr const char* name = "or_and";
  static constexpr const char* help = "whether any pair is true: reachability";
  static constexpr Nothing nothing = Nothing::false_;
  using Result = device::u8;
  template <class T>
  static constexpr bool has = false;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T zero() {
    return T(0);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V plus(V a, V b) {
    return static_cast<V>(a | b);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V times(V a, V b) {
    return static_cast<V>(a & b);
  }
};

/// The number of pairs, of 0 and 1: over the integers, what or_and is over truth.
struct Count {
  static constexpr const char* name = "count";
  static constexpr const char* help = "the number of pairs that are both true: common neighbours";
  static constexpr Nothing nothing = Nothing::false_;
  using Result = device::i32;
  template <class T>
  static constexpr bool has = false;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T zero() {
    return T(0);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V plus(V a, V b) {
    return static_cast<V>(a + b);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V times(V a, V b) {
    return static_cast<V>(a & b);
  }
};

/// The likeliest way: of values that are not negative.
struct MaxTimes {
  static constexpr const char* name = "max_times";
  static constexpr const char* help = "largest products: likeliest paths";
  static constexpr Nothing nothing = Nothing::zero;
  template <class T>
  static constexpr bool has = is_real<T>;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T zero() {
    return T(0);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V plus(V a, V b) {
    return values::larger(a, b);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V times(V a, V b) {
    return static_cast<V>(a * b);
  }
};

/// The subtraction of elimination: x - u * v.
struct MinusTimes {
  static constexpr const char* name = "minus_times";
  static constexpr const char* help = "what elimination takes away";
  static constexpr Nothing nothing = Nothing::zero;
  template <class T>
  static constexpr bool has = is_real<T>;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T zero() {
    return T(0);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V plus(V a, V b) {
    return static_cast<V>(a - b);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V times(V a, V b) {
    return static_cast<V>(a * b);
  }
};

}  // namespace terrace::recursive
