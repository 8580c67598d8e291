// Tables with many dimensions as they are defined, by recursion: tests compare every kernel with them.
#pragma once

#include <map>
#include <vector>

#include "kernels/dp_table/rules.hpp"
#include "kernels/dp_table/table.hpp"

namespace terrace::dp_table {

/// The cells of a table, each made when it is first asked for.
template <class Rule>
class ReferenceTable {
 public:
  using T = typename Rule::Value;
  struct Cell {
    T value;
    i32 choice;
    bool overflows;  // the count leaves the type, of this cell or of one that it is made of
  };

  explicit ReferenceTable(const Table& table) : table_(table) {}

  const Cell& at(const std::vector<i64>& index) {
    const auto found = cells_.find(index);
    if (found != cells_.end()) return found->second;
    return cells_.emplace(index, make(index)).first->second;
  }

 private:
  Cell make(const std::vector<i64>& index) {
    Cell cell{Rule::unreached(), -1, false};
    bool zero = true;
    for (const i64 i : index) zero = zero && i == 0;
    if (zero) {
      cell.value = Rule::origin();
      if (table_.combine == Combine::count && table_.modulus == 1) cell.value = 0;
      return cell;
    }
    for (i64 number = 0; number < table_.steps.count(); ++number) {
      std::vector<i64> from = index;
      bool inside = true;
      for (std::size_t d = 0; d < from.size(); ++d) {
        from[d] -= table_.steps.step(number)[d];
        inside = inside && from[d] >= 0;
      }
      if (inside) take(cell, at(from), number);
    }
    if (table_.cap != 0 && cell.value != Rule::unreached() && cell.value > static_cast<T>(table_.cap)) {
      cell.value = static_cast<T>(table_.cap);
    }
    return cell;
  }

  void take(Cell& cell, const Cell& from, i64 number) const {
    if constexpr (requires { Rule::better(T{}, T{}); }) {
      if (from.value == Rule::unreached()) return;
      const auto at = static_cast<std::size_t>(number);
      const i64 whole = table_.steps.has_whole_costs() ? table_.steps.whole_costs[at] : 0;
      const T value = Rule::plus(from.value, cost_of<T>(whole, table_.steps.real_costs[at]));
      if (cell.choice >= 0 && !Rule::better(value, cell.value)) return;
      cell.value = value;
      cell.choice = static_cast<i32>(number);
    } else if (table_.modulus != 0) {
      const auto sum = static_cast<u64>(cell.value) + static_cast<u64>(from.value);
      cell.value = static_cast<T>(sum % static_cast<u64>(table_.modulus));
    } else {
      cell.overflows |= from.overflows || __builtin_add_overflow(cell.value, from.value, &cell.value);
    }
  }

  const Table& table_;
  std::map<std::vector<i64>, Cell> cells_;
};

}  // namespace terrace::dp_table
