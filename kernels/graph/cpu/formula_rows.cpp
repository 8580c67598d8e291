#include "kernels/graph/cpu/formula_rows.hpp"

#include <algorithm>
#include <utility>

namespace terrace::graph {
namespace {

using formula::CellValue;
using formula::Operation;

constexpr int column_axis = 1;

template <class T>
constexpr formula::Type type_of_values = sizeof(T) == 4 ? formula::Type::f32 : formula::Type::f64;

}  // namespace

template <class T>
FormulaRows<T>::FormulaRows(const formula::Formula& cells, std::vector<FormulaSource> sources, Shape shape)
    : shape_(shape),
      sources_(std::move(sources)),
      strips_(cells, column_axis, type_of_values<T>, device::best_instruction_set()) {
  for (const formula::Node& node : strips_.reads()) {
    const auto same = [&](const Row& row) { return row.source == node.number && row.offset == node.offset[0]; };
    const auto row = std::ranges::find_if(rows_, same);
    const auto number = static_cast<std::size_t>(row - rows_.begin());
    if (row == rows_.end()) rows_.push_back({node.number, node.offset[0]});
    reads_.push_back({number, node.offset[column_axis]});
    low_ = std::min<i64>(low_, node.offset[column_axis]);
    high_ = std::max<i64>(high_, node.offset[column_axis]);
  }
}

template <class T>
FormulaFrame<T>::FormulaFrame(const FormulaRows<T>& rows)
    : plan_(rows),
      frame_(rows.strips_),
      cells_(rows.strips_.cells()),
      pitch_((cells_ + rows.high_ - rows.low_ + 15) / 16 * 16),
      rows_(rows.rows_.size()),
      outside_(rows.sources_.size()),
      copies_(static_cast<i64>(rows.rows_.size() + rows.strips_.results()) * pitch_) {}

template <class T>
void FormulaFrame<T>::find_rows(i64 i, const std::vector<StoredRows<T>>& operands) {
  for (std::size_t n = 0; n < rows_.size(); ++n) {
    const auto source = static_cast<std::size_t>(plan_.rows_[n].source);
    const FormulaSource& from = plan_.sources_[source];
    const i64 inside = index_inside(i + plan_.rows_[n].offset, plan_.shape_.rows, from.boundary);
    if (inside != outside) {
      rows_[n] = operands[static_cast<std::size_t>(from.operand)].row(inside);
      continue;
    }
    std::vector<T>& row = outside_[source];
    if (row.empty()) row.assign(static_cast<std::size_t>(plan_.shape_.columns), static_cast<T>(from.boundary_value));
    rows_[n] = row.data();
  }
}

template <class T>
void FormulaFrame<T>::make_row(i64 i, const std::vector<StoredRows<T>>& operands, T* const* made) {
  find_rows(i, operands);
  frame_.set_row([&](const formula::Node& node) -> CellValue {
    if (node.operation == Operation::index) return {0, i + node.offset[0]};
    return {0, node.number == 0 ? plan_.shape_.rows : plan_.shape_.columns};
  });
  // Strips within [first, last) read what is in the rows.
  const i64 columns = plan_.shape_.columns, first = -plan_.low_, last = columns - plan_.high_;
  if (columns <= cells_ && (first > 0 || last < columns || columns < cells_)) {
    return make_from_copies(0, columns, made);
  }
  if (first > 0) make_from_copies(0, cells_, made);
  if (last < columns) make_from_copies(columns - cells_, columns, made);
  i64 begin = first > 0 ? cells_ : 0, end = last < columns ? columns - cells_ : columns;
  if (begin >= end) return;
  if (end - begin < cells_ && last - first >= cells_) {
    begin = std::max(first, end - cells_);
    end = begin + cells_;
  }
  if (end - begin < cells_) make_from_copies(begin, end, made);
  else make_inner(begin, end, made);
}

template <class T>
void FormulaFrame<T>::make_inner(i64 begin, i64 end, T* const* made) {
  for (std::size_t n = 0; n < plan_.reads_.size(); ++n) {
    frame_.set_read(n, rows_[plan_.reads_[n].row] + plan_.reads_[n].shift);
  }
  for (std::size_t n = 0; n < plan_.strips_.results(); ++n) frame_.set_result(n, made[n]);
  frame_.run(begin, end, 0);
}

/// Copies the values around columns of a row, with those beyond its ends.
template <class T>
void FormulaFrame<T>::copy_row(std::size_t row, i64 begin, i64 end, T* to) const {
  const FormulaSource& source = plan_.sources_[static_cast<std::size_t>(plan_.rows_[row].source)];
  const i64 columns = plan_.shape_.columns;
  for (i64 j = begin + plan_.low_; j < end + plan_.high_; ++j) {
    const i64 inside = index_inside(j, columns, source.boundary);
    *to++ = inside == outside ? static_cast<T>(source.boundary_value) : rows_[row][inside];
  }
}

/// Makes at most a strip.
template <class T>
void FormulaFrame<T>::make_from_copies(i64 begin, i64 end, T* const* made) {
  const auto copy = [&](std::size_t number) { return copies_.data() + static_cast<i64>(number) * pitch_; };
  for (std::size_t row = 0; row < rows_.size(); ++row) copy_row(row, begin, end, copy(row));
  for (std::size_t n = 0; n < plan_.reads_.size(); ++n) {
    frame_.set_read(n, copy(plan_.reads_[n].row) + plan_.reads_[n].shift - plan_.low_);
  }
  for (std::size_t n = 0; n < plan_.strips_.results(); ++n) frame_.set_result(n, copy(rows_.size() + n));
  frame_.run_part(end - begin, begin);
  for (std::size_t n = 0; n < plan_.strips_.results(); ++n) {
    const T* from = copy(rows_.size() + n);
    std::copy(from, from + (end - begin), made[n] + begin);
  }
}

template class FormulaRows<float>;
template class FormulaRows<double>;
template class FormulaFrame<float>;
template class FormulaFrame<double>;

}  // namespace terrace::graph
