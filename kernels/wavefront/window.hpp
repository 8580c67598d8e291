// Windows around the diagonal of a table (Sakoe and Chiba 1978).
#pragma once

#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

/// A half width that leaves no cell out.
inline constexpr i64 no_window = i64{1} << 52;

template <class P>
concept has_window = requires(const typename P::template Constants<i64>& k) {
  P::window(k);
};

/// The half width of the problem's window; no_window if it has none.
template <class P, class V>
TERRACE_HOST_DEVICE constexpr i64 window_of(const typename P::template Constants<V>& k) {
  if constexpr (has_window<P>) return P::window(k);
  else return no_window;
}

/// True if cell (i, j), or a cell of the border (i or j is -1), lies in a window of that half width.
TERRACE_HOST_DEVICE constexpr bool in_window(i64 window, i64 i, i64 j) { return i - j <= window && j - i <= window; }

/// Columns [begin, end).
struct ColumnRange {
  i64 begin, end;
};

/// The columns of [column_begin, column_end) with cells in the window in rows [row_begin, row_end), and, if the
/// window begins right of column_begin, the one before: all cells left of it and on the row above are outside.
TERRACE_HOST_DEVICE constexpr ColumnRange columns_in_window(i64 window, i64 row_begin, i64 row_end, i64 column_begin,
                                                            i64 column_end) {
  const i64 begin = row_begin - 1 - window, end = row_end + window;
  return {maximum(column_begin, minimum(begin, column_end)), minimum(column_end, maximum(end, column_begin))};
}

/// Cells (i, j) of rows [row_begin, row_end) and columns [column_begin, column_end) with low <= j - i <= high.
constexpr double cells_on_diagonals(i64 low, i64 high, i64 row_begin, i64 row_end, i64 column_begin, i64 column_end) {
  const auto rows = static_cast<double>(row_end - row_begin),
             columns = static_cast<double>(column_end - column_begin);
  // The sum over x < n of the columns that are left when x, if positive, are taken first: min(max(x, 0), columns).
  const auto taken = [&](double n) {
    if (n <= 0) return 0.0;
    return n <= columns ? n * (n - 1) / 2 : columns * (columns - 1) / 2 + (n - columns) * columns;
  };
  // Cells with j - i < first + x, x the row counted from row_begin.
  const auto before = [&](double first) { return taken(first + rows) - taken(first); };
  const auto shift = static_cast<double>(row_begin - column_begin);
  const double least = static_cast<double>(maximum(low, -row_end)),
               most = static_cast<double>(minimum(high, column_end));
  return before(shift + most + 1) - before(shift + least);
}

/// Cells of rows [row_begin, row_end) and columns [column_begin, column_end) that lie in the window.
constexpr double cells_in_window(i64 window, i64 row_begin, i64 row_end, i64 column_begin, i64 column_end) {
  return cells_on_diagonals(-window, window, row_begin, row_end, column_begin, column_end);
}

}  // namespace terrace::wavefront
