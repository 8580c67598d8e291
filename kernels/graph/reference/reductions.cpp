// Numbers, counts and positions of whole arrays as they are defined.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/graph/reference/reference.hpp"

namespace terrace::graph {

template <class T>
double reduced_as_defined(Measure measure, std::optional<double> before, std::span<const T> row) {
  const auto fold = [&](double a, double b) {
    if (measure == Measure::sum) return a + b;
    if (measure == Measure::minimum_number) return std::fmin(a, b) + 0.0;
    if (measure == Measure::maximum_number) return std::fmax(a, b) + 0.0;
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
    return (measure == Measure::minimum ? std::min(a, b) : std::max(a, b)) + 0.0;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool is_least = measure == Measure::minimum || measure == Measure::minimum_number;
  const double start = measure == Measure::sum ? 0 : is_least ? infinity : -infinity;
  std::vector<double> parts(32, start);
  for (std::size_t j = 0; j < row.size(); ++j) parts[j % 32] = fold(parts[j % 32], row[j]);
  for (std::size_t half = 16; half > 0; half /= 2) {
    for (std::size_t n = 0; n < half; ++n) parts[n] = fold(parts[n], parts[n + half]);
  }
  return fold(before.value_or(start), parts[0]);
}

template <class T>
double reduced_as_defined(Measure measure, const Array<T>& array) {
  std::optional<double> all;
  const auto columns = static_cast<std::size_t>(array.shape.columns);
  for (std::size_t at = 0; at < array.values.size(); at += columns) {
    all = reduced_as_defined(measure, all, std::span<const T>(array.values.data() + at, columns));
  }
  return all.value();
}

template <class T>
std::vector<i64> counted_as_defined(const Histogram& bins, const Array<T>& array) {
  std::vector<i64> counts(static_cast<std::size_t>(bins.bins), 0);
  const auto edge = [&](i64 number) {
    const double step = (bins.high - bins.low) / static_cast<double>(bins.bins);
    return number == bins.bins ? bins.high : static_cast<double>(number) * step + bins.low;
  };
  std::vector<double> edges;
  for (i64 number = 0; number <= bins.bins; ++number) edges.push_back(edge(number));
  for (const T value : array.values) {
    if (!(value >= bins.low && value <= bins.high)) continue;
    const i64 bin = std::ranges::upper_bound(edges, static_cast<double>(value)) - edges.begin() - 1;
    ++counts[static_cast<std::size_t>(std::min(bin, bins.bins - 1))];
  }
  return counts;
}

template <class T>
std::vector<i64> listed_as_defined(const Positions& positions, const Array<T>& array) {
  std::vector<i64> found;
  for (i64 i = 0; i < array.shape.rows; ++i) {
    for (i64 j = 0; j < array.shape.columns; ++j) {
      if (array.at(i, j) > 0) found.insert(found.end(), {i, j});
    }
  }
  const i64 all = std::ssize(found) / 2;
  found.resize(static_cast<std::size_t>(positions.elements()));
  for (i64 n = 2 * std::min(positions.most, all); n < positions.elements(); ++n) {
    found[static_cast<std::size_t>(n)] = 0;
  }
  found[static_cast<std::size_t>(positions.number_at())] = std::bit_cast<i64>(static_cast<double>(all));
  return found;
}

template std::vector<i64> listed_as_defined(const Positions&, const Array<float>&);
template std::vector<i64> listed_as_defined(const Positions&, const Array<double>&);
template double reduced_as_defined(Measure, std::optional<double>, std::span<const float>);
template double reduced_as_defined(Measure, std::optional<double>, std::span<const double>);
template double reduced_as_defined(Measure, const Array<float>&);
template double reduced_as_defined(Measure, const Array<double>&);
template std::vector<i64> counted_as_defined(const Histogram&, const Array<float>&);
template std::vector<i64> counted_as_defined(const Histogram&, const Array<double>&);

}  // namespace terrace::graph
