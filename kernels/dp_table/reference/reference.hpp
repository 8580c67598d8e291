// Tables with many dimensions as they are defined, by recursion: tests compare every kernel with them.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "kernels/dp_table/reference/cell.hpp"

namespace terrace::dp_table {

/// The cells of a table, each made when it is first asked for.
template <class Rule>
class ReferenceTable {
 public:
  using T = typename Rule::Value;
  using Cell = DefinedCell<Rule>;  // overflows: also if one does that it is made of

  explicit ReferenceTable(const Table& table) : table_(table) {}

  const Cell& at(const std::vector<i64>& index) {
    return at(index, table_.order == Order::unordered ? table_.steps.count() : 0);
  }

 private:
  /// @param taken steps that the cell has taken, of a table that takes one after another; else 0
  const Cell& at(const std::vector<i64>& index, i64 taken) {
    const auto found = cells_.find({index, taken});
    if (found != cells_.end()) return found->second;
    return cells_.emplace(std::pair(index, taken), taken == 0 ? make(index) : make(index, taken)).first->second;
  }

  /// A cell that takes the last of some steps: it adds the cell where this one leads, which has taken it, too.
  Cell make(const std::vector<i64>& index, i64 taken) {
    Cell cell = at(index, taken - 1);
    std::vector<i64> from = index;
    for (std::size_t d = 0; d < from.size(); ++d) {
      from[d] -= table_.steps.step(taken - 1)[d];
      if (from[d] < 0) return cell;
    }
    const Cell& there = at(from, taken);
    cell.overflows |= there.overflows;
    cell.take(table_, there.value, taken - 1);
    return cell;
  }
  Cell make(const std::vector<i64>& index) {
    Cell cell;
    bool zero = true;
    for (const i64 i : index) zero = zero && i == 0;
    if (zero) {
      cell.value = Rule::origin(table_.modulus);
      return cell;
    }
    if (table_.order == Order::unordered) return cell;
    for (i64 number = 0; number < table_.steps.count(); ++number) {
      std::vector<i64> from = index;
      bool inside = true;
      for (std::size_t d = 0; d < from.size(); ++d) {
        from[d] -= table_.steps.step(number)[d];
        inside = inside && from[d] >= 0;
      }
      if (!inside) continue;
      const Cell& there = at(from);
      cell.overflows |= there.overflows;
      cell.take(table_, there.value, number);
    }
    if (table_.cap != 0 && cell.value != Rule::unreached() && cell.value > static_cast<T>(table_.cap)) {
      cell.value = static_cast<T>(table_.cap);
    }
    return cell;
  }

  const Table& table_;
  std::map<std::pair<std::vector<i64>, i64>, Cell> cells_;  // by index and steps taken
};

}  // namespace terrace::dp_table
