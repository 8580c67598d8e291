// The costs of gaps, by a problem's constants.
#pragma once

#include "kernels/pairs/task.hpp"

namespace terrace::pairs {

/// Costs of the first letter of a gap, and of each further one.
template <class K>
TERRACE_HOST_DEVICE constexpr i64 first_cost(const K& k) {
  if constexpr (requires { k.gap_first; }) return k.gap_first;
  else return k.gap;
}
template <class K>
TERRACE_HOST_DEVICE constexpr i64 next_cost(const K& k) {
  if constexpr (requires { k.gap_next; }) return k.gap_next;
  else return k.gap;
}

}  // namespace terrace::pairs
