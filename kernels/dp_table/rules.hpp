// The rules by which cells combine the cells where their steps lead.
#pragma once

#include <limits>
#include <type_traits>

#include "kernels/dp_table/table.hpp"

namespace terrace::dp_table {

template <class T>
T cost_of(i64 whole, double real) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(real);
  else return static_cast<T>(whole);
}

/// The least or the largest of values and costs.
template <class T, bool least>
struct Best {
  using Value = T;
  static constexpr T unreached() {
    if constexpr (std::is_floating_point_v<T>) {
      return least ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    } else {
      return least ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    }
  }
  static constexpr T origin() { return 0; }
  /// The value and a cost; unreached stays unreached.
  static T plus(T value, T cost) {
    if constexpr (std::is_floating_point_v<T>) return value + cost;
    else return value == unreached() ? value : static_cast<T>(value + cost);
  }
  static bool better(T a, T b) { return least ? a < b : a > b; }
  static T best(T a, T b) { return better(a, b) ? a : b; }
};

/// 1 where a step comes from a cell that is reached.
struct Reached {
  using Value = u8;
  static constexpr u8 unreached() { return 0; }
  static constexpr u8 origin() { return 1; }
  static u8 plus(u8 value, u8) { return value; }
  static bool better(u8 a, u8 b) { return a > b; }
  static u8 best(u8 a, u8 b) { return a | b; }
};

/// Number of ways.
template <class T>
struct Count {
  using Value = T;
  static constexpr T unreached() { return 0; }
  static constexpr T origin() { return 1; }
};

/// Calls call(Rule{}) with the rule of a combine and a type. @return false if there is none
template <class Call>
bool visit_rule(Combine combine, ElementType type, const Call& call) {
  using enum ElementType;
  const auto best = [&](auto zero) {
    using T = decltype(zero);
    if (combine == Combine::min) call(Best<T, true>{});
    else if constexpr (std::is_signed_v<T>) call(Best<T, false>{});
    return combine == Combine::min || std::is_signed_v<T>;
  };
  const auto count = [&](auto zero) {
    call(Count<decltype(zero)>{});
    return true;
  };
  if (combine == Combine::any) {
    if (type == u8) call(Reached{});
    return type == u8;
  }
  const bool counts = combine == Combine::count;
  switch (type) {
    case u8:
      return counts ? count(std::uint8_t{}) : best(std::uint8_t{});
    case u16:
      return counts ? count(std::uint16_t{}) : best(std::uint16_t{});
    case i32:
      return counts ? count(std::int32_t{}) : best(std::int32_t{});
    case i64:
      return counts ? count(std::int64_t{}) : best(std::int64_t{});
    case i8:
      return !counts && best(std::int8_t{});
    case i16:
      return !counts && best(std::int16_t{});
    case f32:
      return !counts && best(float{});
    case f64:
      return !counts && best(double{});
    default:
      return false;
  }
}

}  // namespace terrace::dp_table
