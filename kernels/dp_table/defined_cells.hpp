// Cells of a table made by its definition, for `terrace verify`.
#pragma once

#include <memory>

#include "kernels/dp_table/table.hpp"

namespace terrace::dp_table {

/// Some cells in the making: they take the values where their steps lead, in the job's order of steps.
class DefinedCells {
 public:
  virtual ~DefinedCells() = default;

  /// Makes cell `cell` the cell of zeros.
  virtual void begin_at(i64 cell) = 0;
  /// The cells [first, first + count) take the values where step `number` leads from them.
  /// @param values of the table's type
  virtual void take(i64 number, i64 first, const void* values, i64 count) = 0;
  /// The value of a cell, of the table's type.
  virtual const void* value(i64 cell) const = 0;
  /// The first step that is best; -1: none.
  virtual i32 choice(i64 cell) const = 0;
};

/// Cells that no step has reached yet. @param table outlives them; of a combine and a type for which fits() holds
std::unique_ptr<DefinedCells> make_defined_cells(const Table& table, i64 count);

}  // namespace terrace::dp_table
