// The plain way back through a whole table: H, E and F of every cell are kept, and every step is found from the
// recurrence. What paths of sweeps are compared with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/wavefront/reference/reference.hpp"
#include "kernels/wavefront/trace.hpp"

namespace terrace::wavefront {

/// A path from cell to cell; rows and columns are letters consumed before it and after it.
struct ReferencePath {
  std::int64_t score = 0;
  std::int64_t row_begin = 0, column_begin = 0, row_end = 0, column_end = 0;
  std::string steps;  // a letter each, from the start: '=' and 'X' consume both sides, 'I' a row, 'D' a column
};

/// All values of a table; (i, j) counts from -1 in H, from 0 in E(i, j) and F(i, j), which enter the cell.
template <class P>
class ReferenceTrace {
 public:
  ReferenceTrace(const typename P::template Constants<i64>& k, std::span<const std::uint8_t> rows,
                 std::span<const std::uint8_t> columns)
      : k_(k), rows_(rows), columns_(columns), width_(columns.size() + 1) {
    const std::size_t cells = (rows.size() + 1) * width_;
    h_.resize(cells);
    e_.resize(cells);
    f_.resize(cells);
    const auto height = static_cast<i64>(rows.size()), width = static_cast<i64>(columns.size());
    for (i64 j = -1; j < width; ++j) h(-1, j) = P::template top<i64>(k, j).h;
    for (i64 i = 0; i < height; ++i) h(i, -1) = P::template left<i64>(k, i).h;
    for (i64 j = 0; j < width && height > 0; ++j) f(0, j) = P::template top<i64>(k, j).gap;
    for (i64 i = 0; i < height && width > 0; ++i) e(i, 0) = P::template left<i64>(k, i).gap;
    for (i64 i = 0; i < height; ++i) {
      for (i64 j = 0; j < width; ++j) compute(i, j);
    }
  }

  /// H(i, j), from -1 on; E(i, j) and F(i, j) as they enter a cell, 0 <= i < rows, 0 <= j < columns.
  i64& h(i64 i, i64 j) { return at(h_, i, j); }
  i64& e(i64 i, i64 j) { return at(e_, i, j); }
  i64& f(i64 i, i64 j) { return at(f_, i, j); }

  const typename P::template Constants<i64>& constants() const { return k_; }

  ReferencePath path() {
    const ReferenceTable<i64> table = letters_reference<P>(k_, rows_, columns_);
    ReferencePath path{table.score, 0, 0, table.row, table.column, ""};
    i64 i = table.row - 1, j = table.column - 1;  // the cell that the path is in
    while (i >= 0 && j >= 0 && !(is_local<P> && h(i, j) == 0)) step(i, j, path.steps);
    const FreeStart free = free_start<P, i64>(k_);
    for (; j < 0 && i >= 0 && !free.rows; --i) path.steps += 'I';
    for (; i < 0 && j >= 0 && !free.columns; --j) path.steps += 'D';
    path.row_begin = i + 1;
    path.column_begin = j + 1;
    std::reverse(path.steps.begin(), path.steps.end());
    return path;
  }

 private:
  i64& at(std::vector<i64>& values, i64 i, i64 j) {
    return values[static_cast<std::size_t>(i + 1) * width_ + static_cast<std::size_t>(j + 1)];
  }
  i64 score(i64 i, i64 j) const {
    return P::template score<i64>(k_, rows_[static_cast<std::size_t>(i)], columns_[static_cast<std::size_t>(j)]);
  }

  void compute(i64 i, i64 j) {
    const Around<i64> around{h(i - 1, j - 1), h(i - 1, j), h(i, j - 1), e(i, j), f(i, j)};
    const Cell<i64> cell = P::template cell<i64>(k_, around, score(i, j));
    h(i, j) = cell.h;
    if (j + 1 < static_cast<i64>(columns_.size())) e(i, j + 1) = cell.e;
    if (i + 1 < static_cast<i64>(rows_.size())) f(i + 1, j) = cell.f;
  }

  /// One step diagonally, or a whole gap, as short as it may be.
  void step(i64& i, i64& j, std::string& steps) {
    const i64 s = score(i, j);
    if (h(i, j) == h(i - 1, j - 1) + s) {
      steps += rows_[static_cast<std::size_t>(i)] == columns_[static_cast<std::size_t>(j)] ? '=' : 'X';
      --i, --j;
    } else if (h(i, j) == gap_above(i, j, s)) {
      if constexpr (P::row_planes == 2) {
        for (; i > 0 && f(i, j) != P::template gap_opened<i64>(k_, h(i - 1, j), s); --i) steps += 'I';
      }
      steps += 'I';
      --i;
    } else {
      if constexpr (P::column_planes == 2) {
        for (; j > 0 && e(i, j) != P::template gap_opened<i64>(k_, h(i, j - 1), s); --j) steps += 'D';
      }
      steps += 'D';
      --j;
    }
  }
  i64 gap_above(i64 i, i64 j, i64 s) {
    return P::row_planes == 2 ? f(i, j) : P::template gap_opened<i64>(k_, h(i - 1, j), s);
  }

  typename P::template Constants<i64> k_;
  std::span<const std::uint8_t> rows_, columns_;
  std::size_t width_;
  std::vector<i64> h_, e_, f_;
};

/// The path of the best alignment of a problem on letters.
template <class P>
ReferencePath reference_path(const typename P::template Constants<i64>& k, std::span<const std::uint8_t> rows,
                             std::span<const std::uint8_t> columns) {
  return ReferenceTrace<P>(k, rows, columns).path();
}

}  // namespace terrace::wavefront
