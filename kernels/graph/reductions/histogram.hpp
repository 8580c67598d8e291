// Counts of an array's values in bins, all equally wide.
#pragma once

#include "kernels/graph/operator.hpp"
#include "kernels/graph/reductions/makes.hpp"
#include "kernels/values/bins.hpp"

namespace terrace::graph {

/// Values outside of the bins and NaN are not counted.
struct Histogram : values::Bins {
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
};

}  // namespace terrace::graph
