#include "stages/wavefront/pairs/cells.hpp"

#include <algorithm>

#include "kernels/wavefront/window.hpp"

namespace terrace::stages {

PairCells::PairCells(const PairSides& sides, const Entries& entries, const Settings& settings)
    : rows_(*sides.rows.items),
      columns_(*sides.columns.items),
      entries_(entries),
      window_(settings.find<std::int64_t>("window").value_or(wavefront::no_window)) {}

double PairCells::of_lengths(double rows, double columns) const {
  if (static_cast<double>(window_) >= std::max(rows, columns)) return rows * columns;
  return wavefront::cells_in_window(window_, 0, static_cast<std::int64_t>(rows), 0,
                                    static_cast<std::int64_t>(columns));
}

double PairCells::of_entry(std::int64_t entry) const { return of_pair(entries_.pair(entry)); }

double PairCells::of_long(const LongPairs& pairs, std::int64_t begin, std::int64_t end) const {
  double cells = 0;
  for (std::int64_t number = begin; number < end; ++number) cells += of_pair(pairs.pair(number));
  return cells;
}

double PairCells::of_pair(const ItemPair& pair) const {
  const auto [row, column] = pair;
  return of_lengths(static_cast<double>(rows_.length(row)), static_cast<double>(columns_.length(column)));
}

double PairCells::of_block(const PairsBlock& block) const {
  const auto rows = static_cast<double>(block.row_end - block.row_begin),
             columns = static_cast<double>(block.column_end - block.column_begin);
  const auto row_elements = static_cast<double>(rows_.begin(block.row_end) - rows_.begin(block.row_begin)),
             column_elements =
                 static_cast<double>(columns_.begin(block.column_end) - columns_.begin(block.column_begin));
  if (window_ == wavefront::no_window || rows == 0 || columns == 0) return row_elements * column_elements;
  return rows * columns * of_lengths(row_elements / rows, column_elements / columns);
}

double PairCells::all() const {
  double cells = 0;
  if (entries_.is_matrix()) return of_block({0, rows_.count(), 0, columns_.count()});
  if (entries_.kind() == Entries::Kind::upper) {
    for (std::int64_t item = 0; item < rows_.count(); ++item) {
      cells += of_block({item, item + 1, item + 1, columns_.count()});
    }
    return cells;
  }
  for (std::int64_t entry = 0; entry < entries_.count(); ++entry) cells += of_entry(entry);
  return cells;
}

}  // namespace terrace::stages
