// From a combine and a type to the rule, for code that makes kernels of the CPU.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/dp_table/rules.hpp"
#include "kernels/dp_table/table.hpp"

namespace terrace::dp_table {

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
