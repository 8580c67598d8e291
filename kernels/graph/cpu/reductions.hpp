// Rows of reductions on the CPU.
#pragma once

#include <algorithm>

#include "kernels/graph/reductions/histogram.hpp"
#include "kernels/graph/reductions/positions.hpp"
#include "kernels/graph/reductions/reduce.hpp"
#include "kernels/values/bin_finder.hpp"

namespace terrace::graph {

/// The partial results of a row, folded by halves.
inline double folded(Measure measure, double (&lanes)[Reduce::lanes]) {
  for (int half = Reduce::lanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) lanes[lane] = Reduce::fold(measure, lanes[lane], lanes[lane + half]);
  }
  return lanes[0];
}

template <Measure measure, class T>
double row_result(const T* row, i64 columns) {
  double lanes[Reduce::lanes];
  std::fill_n(lanes, Reduce::lanes, Reduce::start(measure));
  i64 column = 0;
  for (; column + Reduce::lanes <= columns; column += Reduce::lanes) {
    for (int lane = 0; lane < Reduce::lanes; ++lane) {
      lanes[lane] = Reduce::fold(measure, lanes[lane], static_cast<double>(row[column + lane]));
    }
  }
  for (int lane = 0; column + lane < columns; ++lane) {
    lanes[lane] = Reduce::fold(measure, lanes[lane], static_cast<double>(row[column + lane]));
  }
  return folded(measure, lanes);
}

template <class T>
double row_result(Measure measure, const T* row, i64 columns) {
  switch (measure) {
    case Measure::minimum:
      return row_result<Measure::minimum>(row, columns);
    case Measure::maximum:
      return row_result<Measure::maximum>(row, columns);
    case Measure::sum:
      return row_result<Measure::sum>(row, columns);
    case Measure::minimum_number:
      return row_result<Measure::minimum_number>(row, columns);
    case Measure::maximum_number:
      return row_result<Measure::maximum_number>(row, columns);
  }
  return 0;
}

/// Adds a row to the counts of bins.
template <class T>
void count_row(const values::BinFinder& bin_of, const T* row, i64 columns, i64* counts) {
  for (i64 column = 0; column < columns; ++column) {
    if (const i64 bin = bin_of(static_cast<double>(row[column])); bin >= 0) ++counts[bin];
  }
}

/// The number of a row's positions.
template <class T>
i64 count_listed(const T* row, i64 columns) {
  i64 all = 0;
  for (i64 column = 0; column < columns; ++column) all += Positions::is_listed(row[column]) ? 1 : 0;
  return all;
}

/// Writes a row's positions. @param before how many there are in the rows above
template <class T>
void list_row(const Positions& positions, i64 number, const T* row, i64 columns, i64 before, i64* listed) {
  for (i64 column = 0; column < columns && before < positions.most; ++column) {
    if (!Positions::is_listed(row[column])) continue;
    listed[2 * before] = number;
    listed[2 * before + 1] = column;
    ++before;
  }
}

}  // namespace terrace::graph
