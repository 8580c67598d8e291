// Rows of reductions on the CPU.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/graph/reductions/histogram.hpp"
#include "kernels/graph/reductions/positions.hpp"
#include "kernels/graph/reductions/reduce.hpp"

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

/// The ends of all bins.
inline std::vector<double> edges_of(const Histogram& bins) {
  std::vector<double> edges;
  for (i64 number = 0; number <= bins.bins; ++number) edges.push_back(bins.edge(number));
  return edges;
}

/// Adds a row to the counts of bins, as Histogram::bin() finds them. @param edges of the bins
template <class T>
void count_row(const Histogram& bins, const double* edges, const T* row, i64 columns, i64* counts) {
  const double per_bin = static_cast<double>(bins.bins) / (bins.high - bins.low);
  for (i64 column = 0; column < columns; ++column) {
    const auto value = static_cast<double>(row[column]);
    if (!(value >= bins.low && value <= bins.high)) continue;
    i64 bin = std::clamp<i64>(static_cast<i64>((value - bins.low) * per_bin), 0, bins.bins - 1);
    while (value < edges[bin]) --bin;
    while (bin + 1 < bins.bins && value >= edges[bin + 1]) ++bin;
    ++counts[bin];
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
