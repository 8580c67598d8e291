// Counts of an array's values in bins, all equally wide.
#pragma once

#include "kernels/graph/operator.hpp"
#include "kernels/graph/reductions/makes.hpp"

namespace terrace::graph {

/// Bins are those of numpy.histogram of f64: half-open, the last closed; values outside and NaN are not counted.
struct Histogram {
  static constexpr const char* name = "histogram";
  static constexpr const char* help =
      "how many values lie in each of `bins` bins of `range`, as numpy.histogram counts: half-open bins, the last "
      "closed, values outside not counted";
  static constexpr Parameter declared[] = {
      {"bins", ParameterKind::integer, "the number of bins of `histogram`; left out: 256", "256", nullptr, 1, 65536},
      {"range", ParameterKind::numbers,
       "the lower end of the first bin of `histogram` and the upper end of the last; left out: [0, 1]", "[0, 1]"}};
  static constexpr ParameterList parameters = list_of(declared);
  static constexpr Makes makes = Makes::counts;

  i64 bins = 256;
  double low = 0, high = 1;

  TERRACE_HOST_DEVICE constexpr double edge(i64 number) const {
    using namespace values;
    if (number == bins) return high;
    return plus(times(static_cast<double>(number), (high - low) / static_cast<double>(bins)), low);
  }
  /// The bin of a value; -1: none.
  TERRACE_HOST_DEVICE constexpr i64 bin(double value) const {
    if (!(value >= low && value <= high)) return -1;
    i64 found = static_cast<i64>((value - low) / (high - low) * static_cast<double>(bins));
    if (found > bins - 1) found = bins - 1;
    while (value < edge(found)) --found;
    while (found + 1 < bins && value >= edge(found + 1)) ++found;
    return found;
  }
};

}  // namespace terrace::graph
