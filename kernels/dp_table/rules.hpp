// The rules by which cells combine the cells where their steps lead: for the CPU, for devices, and for the reference.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/dp_table/task.hpp"
#include "kernels/values/rounded.hpp"

namespace terrace::dp_table {

template <class T>
inline constexpr bool is_real = false;
template <>
inline constexpr bool is_real<float> = true;
template <>
inline constexpr bool is_real<double> = true;

/// A step's cost, from the two forms in which it is stored.
template <class T>
TERRACE_HOST_DEVICE T cost_of(i64 whole, double real) {
  if constexpr (is_real<T>) return static_cast<T>(real);
  else return static_cast<T>(whole);
}

/// The sum, rounded once.
template <class T>
TERRACE_HOST_DEVICE T sum_of(T a, T b) {
  if constexpr (is_real<T>) return values::plus(a, b);
  else return static_cast<T>(a + b);
}

// `finds_largest`: the best cell of a tile is looked for.

/// The least or the largest of values and costs. Values are of type T, or computed in a wider type V.
template <class T, bool least>
struct Best {
  using Value = T;
  static constexpr bool finds_largest = !least;

  TERRACE_HOST_DEVICE static constexpr T unreached() {
    if constexpr (is_real<T>) {
      const double infinity = __builtin_bit_cast(double, 0x7FF0000000000000ull);
      return static_cast<T>(least ? infinity : -infinity);
    } else {
      constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
      constexpr T largest = static_cast<T>(is_signed ? (u64{1} << (8 * sizeof(T) - 1)) - 1 : ~u64{0});
      return least ? largest : static_cast<T>(-static_cast<i64>(largest) - 1);
    }
  }
  /// The value of the cell of zeros.
  TERRACE_HOST_DEVICE static constexpr T origin(i64) { return 0; }
  /// The value and a cost; unreached stays unreached.
  template <class V>
  TERRACE_HOST_DEVICE static V plus(V value, V cost) {
    if constexpr (is_real<T>) return sum_of(value, cost);
    else return value == static_cast<V>(unreached()) ? value : sum_of(value, cost);
  }
  template <class V>
  TERRACE_HOST_DEVICE static bool better(V a, V b) {
    return least ? a < b : a > b;
  }
  template <class V>
  TERRACE_HOST_DEVICE static V best(V a, V b) {
    return better(a, b) ? a : b;
  }
  /// The value as it is stored: larger ones become the cap (Table::cap), if there is one.
  template <class V>
  TERRACE_HOST_DEVICE static V capped(V value, i64 cap) {
    if constexpr (least && sizeof(T) == 1) {
      if (cap != 0 && value > cap && value != static_cast<V>(unreached())) return static_cast<V>(cap);
    }
    return value;
  }
};

/// 1 if a step comes from a cell that is reached, else 0.
struct Reached {
  using Value = u8;
  static constexpr bool finds_largest = false;

  TERRACE_HOST_DEVICE static constexpr u8 unreached() { return 0; }
  TERRACE_HOST_DEVICE static constexpr u8 origin(i64) { return 1; }
  template <class V>
  TERRACE_HOST_DEVICE static V plus(V value, V) {
    return value;
  }
  template <class V>
  TERRACE_HOST_DEVICE static bool better(V a, V b) {
    return a > b;
  }
  template <class V>
  TERRACE_HOST_DEVICE static V best(V a, V b) {
    return static_cast<V>(a | b);
  }
  template <class V>
  TERRACE_HOST_DEVICE static V capped(V value, i64) {
    return value;
  }
};

/// Number of ways, modulo a number if that is not 0.
template <class T>
struct Count {
  using Value = T;
  static constexpr bool finds_largest = false;

  TERRACE_HOST_DEVICE static constexpr T unreached() { return 0; }
  TERRACE_HOST_DEVICE static constexpr T origin(i64 modulus) { return modulus == 1 ? 0 : 1; }
};

}  // namespace terrace::dp_table
