// Totals of rows of a table of distances.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/values/bins.hpp"

namespace terrace::recursive {

inline constexpr device::i64 reduction_rows = 32;  // of a block, at most

/// Some rows of a table of distances, with all columns.
struct ReductionTask {
  device::i64 rows, columns;
  device::i32 self[reduction_rows];  // the column of each row's own node, which does not count
  const void* data;
  device::i64 stride;  // values from row to row
  values::Bins bins;
  device::i64* histogram;       // of distances, bins.bins counts, to which rows are added; null: none
  device::i64 makes_histogram;  // 1: the block is the first: it sets the counts to 0 before
};

/// Totals of the finite distances from a node to others: integers for integer types, real numbers for others.
struct RowTotals {
  device::i64 finite;   // their number
  device::i64 outside;  // of these, the number in no bin; 0 without a histogram
  device::i64 least, most;
  device::i64 high, low;  // the sum is high * 2^32 + low
  double least_real, most_real, sum_real;
};

struct ReductionResult {
  RowTotals rows[reduction_rows];
};

}  // namespace terrace::recursive
