// The smallest value, the largest, or the sum of an array, as a number of f64.
#pragma once

#include "kernels/graph/operator.hpp"
#include "kernels/graph/reductions/makes.hpp"

namespace terrace::graph {

/// minimum_number and maximum_number leave out NaN; jobs do not name them.
enum class Measure : i32 { minimum, maximum, sum, minimum_number, maximum_number };

/// Values are taken as f64. The definition, on which no cut and no number of threads has an influence:
///   - a row has 32 partial results: number p takes columns p, p + 32, p + 64, ... in this order, from start() on;
///   - these are folded by halves: number p takes number p + 16, then p + 8, p + 4, p + 2, p + 1;
///   - the rows' results are folded from the first row to the last, from start() on.
/// Each operation is rounded once. The minimum and the maximum of values of which one is NaN is NaN; of numbers alone
/// start(), if there is none. A zero has no sign.
struct Reduce {
  static constexpr const char* name = "reduce";
  static constexpr const char* help =
      "a number: the smallest value, the largest, or the sum, in f64 (of a row 32 sums of every 32nd column, folded "
      "by "
      "halves; then the rows in order)";
  static constexpr Parameter declared[] = {
      {"with", ParameterKind::choice, "the number that `reduce` makes", nullptr, "minimum, maximum, sum"}};
  static constexpr ParameterList parameters = list_of(declared);
  static constexpr Makes makes = Makes::number;
  static constexpr int lanes = 32;

  TERRACE_HOST_DEVICE static constexpr bool is_least(Measure measure) {
    return measure == Measure::minimum || measure == Measure::minimum_number;
  }
  TERRACE_HOST_DEVICE static constexpr double start(Measure measure) {
    constexpr double infinity = __builtin_bit_cast(double, device::u64{0x7FF0000000000000});
    return measure == Measure::sum ? 0 : is_least(measure) ? infinity : -infinity;
  }
  TERRACE_HOST_DEVICE static constexpr double fold(Measure measure, double a, double b) {
    if (measure == Measure::sum) return values::plus(a, b);
    if (a != a) return a;
    const bool takes_nan = measure == Measure::minimum || measure == Measure::maximum;
    const bool takes = (takes_nan && b != b) || (is_least(measure) ? b < a : b > a);
    return takes ? values::plus(b, 0.0) : a;
  }
};

}  // namespace terrace::graph
