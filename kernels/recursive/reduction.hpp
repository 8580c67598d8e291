// Totals of rows of a table of distances.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::recursive {

/// Rows [first_row, first_row + rows) of a table of distances, with all columns.
struct ReductionTask {
  device::i64 rows, columns, first_row;
  const void* data;
  device::i64 stride;  // values from row to row
};

/// Totals of the finite distances from a node to others: integers for integer types, real numbers for others.
struct RowTotals {
  device::i64 finite;  // their number
  device::i64 least, most;
  device::i64 high, low;  // the sum is high * 2^32 + low
  double least_real, most_real, sum_real;
};

inline constexpr device::i64 reduction_rows = 32;  // of a block, at most

struct ReductionResult {
  RowTotals rows[reduction_rows];
};

}  // namespace terrace::recursive
