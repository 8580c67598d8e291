// Rows of stencils whose cells a job writes as formulas, by operations over strips (formula/strips.hpp).
#pragma once

#include <memory>
#include <vector>

#include "kernels/device/cpu_features.hpp"
#include "kernels/formula/strips.hpp"
#include "kernels/stencil/cpu/rows.hpp"
#include "kernels/stencil/stencil.hpp"
#include "kernels/values/aligned_array.hpp"

namespace terrace::stencil {

/// Formulas of which rows of grids of one dimension are made: they lie along the last axis, and axes 0 and 2 change
/// places.
formula::Formula turned(const formula::Formula& cells);

/// The part of a written stencil that all threads share.
template <class T>
class WrittenPlan {
 public:
  /// @param series of StencilSpec::drive, in the grid's type; it outlives the plan
  WrittenPlan(const StencilSpec& spec, const T* series, device::InstructionSet set);

  /// A read of a formula: of an array, or of a row around the cell.
  struct Read {
    int array;   // or -1
    int around;  // number of the row in RowWork::around
    i64 shift;   // offset along the last axis
    int copy;    // number of the row, or of the array, among those that are copied for narrow pieces
  };

  const formula::Strips& strips() const { return strips_; }
  const std::vector<Read>& reads() const { return reads_; }
  int fields() const { return fields_; }
  /// Rows and arrays that are read, each once.
  int copies() const { return copies_; }
  /// The least and the largest offset along the last axis, 0 among them.
  i64 low() const { return low_; }
  i64 high() const { return high_; }
  formula::CellValue leaf(const formula::Node& node, const Position& position) const;

  /// An upper bound of the bytes that the plan and the rows of a number of threads take.
  static std::size_t bytes(const StencilSpec& spec, int threads);

 private:
  i64 series_steps_;
  const T* series_;
  int fields_, copies_ = 0;
  i64 low_, high_;
  formula::Strips strips_;
  std::vector<Read> reads_;
};

/// A thread's maker of rows.
template <class T>
class WrittenRows {
 public:
  explicit WrittenRows(const WrittenPlan<T>& plan);

  void make(const RowWork<T>& work);

 private:
  void copy_cells(const RowWork<T>& work, i64 begin, i64 end) const;
  /// Makes cells none of which keeps its values. @param index of the cell 0 along the last axis
  void make_cells(const RowWork<T>& work, i64 begin, i64 end, i64 index);
  /// The same for cells whose neighbours are all in the rows: at least a strip.
  void make_inner(const RowWork<T>& work, i64 begin, i64 end, i64 index);
  /// The same for any, at most a strip, from copies of their neighbours.
  void make_from_copies(const RowWork<T>& work, i64 begin, i64 end, i64 index);
  void copy_row(const RowWork<T>& work, const T* row, i64 begin, i64 end, T* to) const;
  T* copy(int number) { return copies_.data() + number * pitch_; }

  const WrittenPlan<T>& plan_;
  formula::StripFrame frame_;
  i64 cells_, pitch_;
  values::AlignedArray<T> copies_;  // of rows and arrays, and of the results
};

/// RowKernelsOf::make_row of written formulas.
template <class T>
void make_written_row(const RowWork<T>& work) {
  work.written->make(work);
}

extern template class WrittenPlan<float>;
extern template class WrittenPlan<double>;
extern template class WrittenRows<float>;
extern template class WrittenRows<double>;

}  // namespace terrace::stencil
