// Lower bounds of costs of time warping (Keogh 2002): each value of the rows is paired with some value of the columns
// that the window lets it reach, and costs no less than the distance to the range of all of these.
#pragma once

#include <span>
#include <vector>

#include "kernels/pairs/task.hpp"

namespace terrace::pairs {

/// The settings of a warping on which bounds depend.
struct WarpingCosts {
  i64 window;
  bool squared;
  bool free_columns;  // rows are warped to any part of the columns
};

/// Least and greatest of the values that each row may be paired with.
template <class T>
struct Envelope {
  std::vector<T> least, greatest;
  std::vector<i64> places;  // memory of make_envelope()
};

/// The envelope of `columns` for `rows` rows, each of which may be paired with some value of it.
template <class T>
void make_envelope(std::span<const T> columns, i64 window, i64 rows, Envelope<T>& made);

/// A cost that no warping of rows to columns is below, as kernels round it in type T. @param envelope of columns
template <class T>
double least_cost(const WarpingCosts& costs, std::span<const T> rows, std::span<const T> columns,
                  const Envelope<T>& envelope);

/// Bytes of an envelope.
constexpr i64 envelope_bytes(i64 rows, i64 columns) { return rows * 2 * 8 + columns * 2 * 8; }

}  // namespace terrace::pairs
