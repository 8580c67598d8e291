// A cell of a table as it is defined.
#pragma once

#include "kernels/dp_table/rules.hpp"
#include "kernels/dp_table/table.hpp"

namespace terrace::dp_table {

/// A cell in the making: it takes the values where its steps lead, in the job's order of steps.
template <class Rule>
struct DefinedCell {
  using T = typename Rule::Value;

  T value = Rule::unreached();
  i32 choice = -1;         // the first step that is best; -1: none
  bool overflows = false;  // true if the count has left the type

  /// @param from the value of the cell where step `number` leads
  void take(const Table& table, T from, i64 number) {
    if constexpr (requires { Rule::better(T{}, T{}); }) {
      if (from == Rule::unreached()) return;
      const auto at = static_cast<std::size_t>(number);
      const i64 whole = table.steps.has_whole_costs() ? table.steps.whole_costs[at] : 0;
      const T found = Rule::plus(from, cost_of<T>(whole, table.steps.real_costs[at]));
      if (choice >= 0 && !Rule::better(found, value)) return;
      value = found;
      choice = static_cast<i32>(number);
    } else if (table.modulus != 0) {
      value = static_cast<T>((static_cast<u64>(value) + static_cast<u64>(from)) % static_cast<u64>(table.modulus));
    } else {
      overflows |= __builtin_add_overflow(value, from, &value);
    }
  }
};

}  // namespace terrace::dp_table
