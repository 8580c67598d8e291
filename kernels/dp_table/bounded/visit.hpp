// From a combine and the type of stored elements to the rule of bounded steps.
#pragma once

#include "kernels/dp_table/rules.hpp"
#include "kernels/dp_table/table.hpp"

namespace terrace::dp_table {

/// Calls call(Rule{}); Reached is of words of 64 cells.
template <class Call>
void visit_bounded(Combine combine, ElementType stored, const Call& call) {
  using enum ElementType;
  if (combine == Combine::any) return call(Reached{});
  dispatch(stored, [&](auto zero) {
    using T = decltype(zero);
    constexpr bool is_whole = std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>;
    if constexpr (is_whole || std::is_floating_point_v<T>) {
      if (combine == Combine::min) return call(Best<T, true>{});
      if (combine == Combine::max) return call(Best<T, false>{});
      if constexpr (is_whole) call(Count<T>{});
    }
  });
}

}  // namespace terrace::dp_table
