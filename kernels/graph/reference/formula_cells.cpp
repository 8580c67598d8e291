#include "kernels/graph/reference/formula_cells.hpp"

#include <algorithm>

#include "kernels/device/cpu_features.hpp"
#include "kernels/formula/strips.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/values/aligned_array.hpp"

namespace terrace::graph {
namespace {

using formula::CellValue;

constexpr int column_axis = 1;

/// Copies values of a row of an operand, which may lie outside. @param columns of them
template <class T>
void copy_row(const Array<T>& from, const NodeSettings& settings, i64 row, Range columns, T* to) {
  const i64 inside_row = index_inside(row, from.shape.rows, settings.boundary);
  const auto outside_value = static_cast<T>(settings.boundary_value);
  // Columns [first, last) are inside.
  const i64 first = std::clamp<i64>(0, columns.begin, columns.end);
  i64 last = std::clamp(from.shape.columns, first, columns.end);
  const auto has_all = [&](const Range& own) { return own.begin <= first && last <= own.end; };
  const bool is_whole = !from.part || std::ranges::any_of(from.part->columns.ranges(), has_all);
  if (inside_row == outside || !is_whole) last = first;
  const auto copy_apart = [&](i64 begin, i64 end) {
    for (i64 j = begin; j < end; ++j) {
      const i64 inside = index_inside(j, from.shape.columns, settings.boundary);
      to[j - columns.begin] =
          inside_row == outside || inside == outside ? outside_value : from.at(inside_row, inside);
    }
  };
  copy_apart(columns.begin, first);
  if (first < last) {
    const std::size_t at = from.part ? from.part->number_of(inside_row, first)
                                     : static_cast<std::size_t>(inside_row * from.shape.columns + first);
    std::copy_n(from.values.begin() + static_cast<std::ptrdiff_t>(at), last - first, to + (first - columns.begin));
  }
  copy_apart(last, columns.end);
}

/// Makes ranges of rows. All reads are copied, so that they have room for whole strips.
template <class T>
class FormulaCells {
 public:
  FormulaCells(const Node& node, const std::vector<const Array<T>*>& operands, i64 columns)
      : node_(node),
        operands_(operands),
        strips_(node.settings.formula->cells, column_axis, sizeof(T) == 4 ? formula::Type::f32 : formula::Type::f64,
                device::best_instruction_set()),
        frame_(strips_),
        pitch_((columns + strips_.cells() - 1) / strips_.cells() * strips_.cells()),
        rows_(static_cast<i64>(strips_.reads().size() + 1) * pitch_) {}

  void make(i64 row, Range columns, T* to) {
    frame_.set_row([&](const formula::Node& node) -> CellValue {
      if (node.operation == formula::Operation::index) return {0, row + node.offset[0]};
      return {0, node.number == 0 ? node_.shape.rows : node_.shape.columns};
    });
    for (std::size_t n = 0; n < strips_.reads().size(); ++n) {
      const formula::Node& read = strips_.reads()[n];
      copy_row(*operands_[static_cast<std::size_t>(read.number)], node_.settings, row + read.offset[0],
               {columns.begin + read.offset[1], columns.end + read.offset[1]}, copy(n));
      frame_.set_read(n, copy(n));
    }
    T* made = copy(strips_.reads().size());
    frame_.set_result(0, made);
    const i64 count = columns.size();
    if (count < strips_.cells()) frame_.run_part(count, columns.begin);
    else frame_.run(0, count, columns.begin);
    std::copy_n(made, count, to);
  }

 private:
  T* copy(std::size_t number) { return rows_.data() + static_cast<i64>(number) * pitch_; }

  const Node& node_;
  const std::vector<const Array<T>*>& operands_;
  formula::Strips strips_;
  formula::StripFrame frame_;
  i64 pitch_;
  values::AlignedArray<T> rows_;  // of the reads, then of the result
};

}  // namespace

template <class T>
Array<T> formula_cells(const Node& node, const std::vector<const Array<T>*>& operands, const Cells& cells) {
  Array<T> made{node.shape, std::vector<T>(static_cast<std::size_t>(cells.count())), cells};
  FormulaCells<T> maker(node, operands, cells.columns.size());
  T* to = made.values.data();
  for (const Range& rows : cells.rows.ranges()) {
    for (i64 row = rows.begin; row < rows.end; ++row) {
      for (const Range& columns : cells.columns.ranges()) {
        maker.make(row, columns, to);
        to += columns.size();
      }
    }
  }
  return made;
}

template Array<float> formula_cells(const Node&, const std::vector<const Array<float>*>&, const Cells&);
template Array<double> formula_cells(const Node&, const std::vector<const Array<double>*>&, const Cells&);

}  // namespace terrace::graph
