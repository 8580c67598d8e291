#include "kernels/dp_table/defined_cells.hpp"

#include <vector>

#include "kernels/dp_table/reference/cell.hpp"
#include "kernels/dp_table/visit.hpp"

namespace terrace::dp_table {
namespace {

template <class Rule>
class CellsOfRule final : public DefinedCells {
 public:
  CellsOfRule(const Table& table, i64 count) : table_(table), cells_(static_cast<std::size_t>(count)) {}

  void begin_at(i64 cell) override { at(cell).value = Rule::origin(table_.modulus); }
  void take(i64 number, i64 first, const void* values, i64 count) override {
    const auto* from = static_cast<const typename Rule::Value*>(values);
    for (i64 n = 0; n < count; ++n) at(first + n).take(table_, from[n], number);
  }
  const void* value(i64 cell) const override { return &cells_[static_cast<std::size_t>(cell)].value; }
  i32 choice(i64 cell) const override { return cells_[static_cast<std::size_t>(cell)].choice; }

 private:
  DefinedCell<Rule>& at(i64 cell) { return cells_[static_cast<std::size_t>(cell)]; }

  const Table& table_;
  std::vector<DefinedCell<Rule>> cells_;
};

}  // namespace

std::unique_ptr<DefinedCells> make_defined_cells(const Table& table, i64 count) {
  std::unique_ptr<DefinedCells> made;
  visit_rule(table.combine, table.type,
             [&](auto rule) { made = std::make_unique<CellsOfRule<decltype(rule)>>(table, count); });
  return made;
}

}  // namespace terrace::dp_table
