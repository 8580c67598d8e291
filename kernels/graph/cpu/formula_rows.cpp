#include "kernels/graph/cpu/formula_rows.hpp"

#include <algorithm>
#include <utility>

namespace terrace::graph {
namespace {

using formula::CellValue;
using formula::Operation;

constexpr int column_axis = 1;
/// Cells that compiled code makes from copies at a time.
constexpr i64 copied_cells = 64;

template <class T>
constexpr formula::Type type_of_values = sizeof(T) == 4 ? formula::Type::f32 : formula::Type::f64;

}  // namespace

template <class T>
FormulaRows<T>::FormulaRows(const formula::Formula& cells, std::vector<FormulaSource> sources, Shape shape,
                            MakeCells<T> compiled)
    : shape_(shape), sources_(std::move(sources)), compiled_(compiled), results_(cells.results().size()) {
  if (compiled_ == nullptr) {
    strips_ =
        std::make_unique<formula::Strips>(cells, column_axis, type_of_values<T>, device::best_instruction_set());
  }
  const formula::Reach reach = cells.reach();
  low_ = reach.low[column_axis], high_ = reach.high[column_axis];
  rows_ = rows_of(cells);
  for (std::size_t row = 0; !strips_ && row < rows_.size(); ++row) reads_.push_back({row, 0});
  if (!strips_) return;
  for (const formula::Node& node : strips_->reads()) {
    const auto row = std::ranges::find(rows_, SourceRow{node.number, node.offset[0]});
    reads_.push_back({static_cast<std::size_t>(row - rows_.begin()), node.offset[column_axis]});
  }
}

template <class T>
FormulaFrame<T>::FormulaFrame(const FormulaRows<T>& rows)
    : plan_(rows),
      cells_(rows.strips_ ? rows.strips_->cells() : copied_cells),
      pitch_((cells_ + rows.high_ - rows.low_ + 15) / 16 * 16),
      reads_(rows.reads_.size()),
      results_(rows.results_),
      rows_(rows.rows_.size()),
      outside_(rows.sources_.size()),
      copies_(static_cast<i64>(rows.rows_.size() + rows.results_) * pitch_) {
  if (rows.strips_) strips_.emplace(*rows.strips_);
}

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
void FormulaFrame<T>::set_row(i64 i, const std::vector<StoredRows<T>>& operands) {
  row_ = i;
  find_rows(i, operands);
  if (!strips_) return;
  strips_->set_row([&](const formula::Node& node) -> CellValue {
    if (node.operation == Operation::index) return {0, i + node.offset[0]};
    return {0, node.number == 0 ? plan_.shape_.rows : plan_.shape_.columns};
  });
}

template <class T>
void FormulaFrame<T>::make(i64 begin, i64 end, T* const* made) {
  // Cells within [first, last) read what is in the rows. Strips have no fewer cells than a strip.
  const i64 first = -plan_.low_, last = plan_.shape_.columns - plan_.high_, least = strips_ ? cells_ : 0;
  i64 inner_begin = begin >= first ? begin : std::min(end, std::max(first, begin + least));
  i64 inner_end = end <= last ? end : std::max(inner_begin, std::min(last, end - least));
  if (inner_begin < inner_end && inner_end - inner_begin < least) {
    inner_begin = std::max(begin, std::min(inner_begin, inner_end - least));
    if (inner_begin < first || inner_end - inner_begin < least) inner_begin = inner_end;
  }
  make_from_copies(begin, inner_begin, made);
  if (inner_begin < inner_end) make_inner(inner_begin, inner_end, made);
  make_from_copies(inner_end, end, made);
}

template <class T>
void FormulaFrame<T>::run(i64 begin, i64 end, i64 column) {
  if (!strips_) {
    return plan_.compiled_(
        {reads_.data(), results_.data(), begin, end, row_, column, plan_.shape_.rows, plan_.shape_.columns});
  }
  for (std::size_t n = 0; n < reads_.size(); ++n) strips_->set_read(n, reads_[n]);
  for (std::size_t n = 0; n < results_.size(); ++n) strips_->set_result(n, results_[n]);
  if (end - begin < cells_) strips_->run_part(end - begin, begin + column);
  else strips_->run(begin, end, column);
}

template <class T>
void FormulaFrame<T>::make_inner(i64 begin, i64 end, T* const* made) {
  for (std::size_t n = 0; n < plan_.reads_.size(); ++n) {
    reads_[n] = rows_[plan_.reads_[n].row] + plan_.reads_[n].shift;
  }
  std::copy_n(made, results_.size(), results_.begin());
  run(begin, end, 0);
}

/// Copies the values around columns of a row, with those beyond its ends.
template <class T>
void FormulaFrame<T>::copy_row(std::size_t row, i64 begin, i64 end, T* to) const {
  const FormulaSource& source = plan_.sources_[static_cast<std::size_t>(plan_.rows_[row].source)];
  const i64 columns = plan_.shape_.columns;
  const i64 first = begin + plan_.low_, last = end + plan_.high_;
  const i64 inner = std::clamp<i64>(0, first, last), inner_end = std::clamp(columns, inner, last);
  const auto copy_beyond = [&](i64 from, i64 until) {
    for (i64 j = from; j < until; ++j) {
      const i64 inside = index_inside(j, columns, source.boundary);
      to[j - first] = inside == outside ? static_cast<T>(source.boundary_value) : rows_[row][inside];
    }
  };
  copy_beyond(first, inner);
  std::copy(rows_[row] + inner, rows_[row] + inner_end, to + (inner - first));
  copy_beyond(inner_end, last);
}

/// Makes cells from copies of the values around them.
template <class T>
void FormulaFrame<T>::make_from_copies(i64 begin, i64 end, T* const* made) {
  const auto copy = [&](std::size_t number) { return copies_.data() + static_cast<i64>(number) * pitch_; };
  for (; begin < end; begin += cells_) {
    const i64 count = std::min(cells_, end - begin);
    for (std::size_t row = 0; row < rows_.size(); ++row) copy_row(row, begin, begin + count, copy(row));
    for (std::size_t n = 0; n < reads_.size(); ++n) {
      reads_[n] = copy(plan_.reads_[n].row) + plan_.reads_[n].shift - plan_.low_;
    }
    for (std::size_t n = 0; n < results_.size(); ++n) results_[n] = copy(rows_.size() + n);
    run(0, count, begin);
    for (std::size_t n = 0; n < results_.size(); ++n) std::copy_n(results_[n], count, made[n] + begin);
  }
}

template class FormulaRows<float>;
template class FormulaRows<double>;
template class FormulaFrame<float>;
template class FormulaFrame<double>;

}  // namespace terrace::graph
