// Rows of nodes whose cells are formulas, compiled or by operations over strips (formula/strips.hpp).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/device/cpu_features.hpp"
#include "kernels/formula/strips.hpp"
#include "kernels/graph/cpu/cells_call.hpp"
#include "kernels/graph/cpu/compiled_cells.hpp"
#include "kernels/graph/cpu/stored_rows.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/values/aligned_array.hpp"

namespace terrace::graph {

/// Makes rows of the results of a formula, whose reads of number n are of source n. Threads share it; each has a
/// FormulaFrame of its own.
template <class T>
class FormulaRows {
 public:
  /// @param shape of all operands and results @param compiled the cells; null: strips make them
  FormulaRows(const formula::Formula& cells, std::vector<FormulaSource> sources, Shape shape, MakeCells<T> compiled);

 private:
  template <class>
  friend class FormulaFrame;

  /// A read of the strips; of compiled cells a row that they read.
  struct Read {
    std::size_t row;
    i64 shift;  // of columns
  };

  Shape shape_;
  std::vector<FormulaSource> sources_;
  MakeCells<T> compiled_;
  std::unique_ptr<formula::Strips> strips_;  // null: the cells are compiled
  std::size_t results_;
  std::vector<SourceRow> rows_;
  std::vector<Read> reads_;
  i64 low_ = 0, high_ = 0;  // the least and the largest shift
};

/// A thread's memory.
template <class T>
class FormulaFrame {
 public:
  explicit FormulaFrame(const FormulaRows<T>& rows);

  /// Makes row i of the results. @param operands the rows that the formula reads are there
  void make_row(i64 i, const std::vector<StoredRows<T>>& operands, T* const* made) {
    set_row(i, operands);
    make(0, plan_.shape_.columns, made);
  }
  /// Goes to a row.
  void set_row(i64 i, const std::vector<StoredRows<T>>& operands);
  /// Makes columns [begin, end) of the row. @param made the rows of the results
  void make(i64 begin, i64 end, T* const* made);

 private:
  void find_rows(i64 i, const std::vector<StoredRows<T>>& operands);
  void make_inner(i64 begin, i64 end, T* const* made);
  void make_from_copies(i64 begin, i64 end, T* const* made);
  void copy_row(std::size_t row, i64 begin, i64 end, T* to) const;
  /// Makes cells [begin, end) of what the reads and results point to. @param column the index of the cell 0
  void run(i64 begin, i64 end, i64 column);

  const FormulaRows<T>& plan_;
  std::optional<formula::StripFrame> strips_;
  i64 cells_, pitch_;            // cells that are made from copies at a time; between two copies
  i64 row_ = 0;                  // the index of the row
  std::vector<const T*> reads_;  // the addresses of the cell 0
  std::vector<T*> results_;
  std::vector<const T*> rows_;           // null: all outside
  std::vector<std::vector<T>> outside_;  // of each source a row of its boundary's value
  values::AlignedArray<T> copies_;
};

extern template class FormulaRows<float>;
extern template class FormulaRows<double>;
extern template class FormulaFrame<float>;
extern template class FormulaFrame<double>;

}  // namespace terrace::graph
