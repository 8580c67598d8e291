#include "kernels/pairs/cpu/series_bounds.hpp"

#include <algorithm>

#include "kernels/pairs/certain_cost.hpp"

namespace terrace::pairs {
namespace {

/// The extreme of the values that are within `window` places of each row, by `before(a, b)`: a hides b.
template <class T, class Before>
void extremes(std::span<const T> values, i64 window, i64 rows, std::vector<i64>& places, std::vector<T>& made,
              Before&& before) {
  made.resize(static_cast<std::size_t>(rows));
  const auto at = [&](i64 place) { return values[static_cast<std::size_t>(place)]; };
  const i64 count = std::ssize(values);
  if (window >= std::max(rows, count)) {
    T best = at(0);
    for (const T value : values) best = before(value, best) ? value : best;
    std::fill(made.begin(), made.end(), best);
    return;
  }
  // Places of values that no later one hides, the best first.
  places.clear();
  std::size_t first = 0;
  i64 next = 0;
  for (i64 row = 0; row < rows; ++row) {
    for (; next < std::min(count, row + window + 1); ++next) {
      while (places.size() > first && !before(at(places.back()), at(next))) places.pop_back();
      places.push_back(next);
    }
    while (places[first] < row - window) ++first;
    made[static_cast<std::size_t>(row)] = at(places[first]);
  }
}

}  // namespace

template <class T>
void make_envelope(std::span<const T> columns, i64 window, i64 rows, Envelope<T>& made) {
  extremes(columns, window, rows, made.places, made.least, [](T a, T b) { return a < b; });
  extremes(columns, window, rows, made.places, made.greatest, [](T a, T b) { return a > b; });
}

template <class T>
double least_cost(const WarpingCosts& costs, std::span<const T> rows, std::span<const T> columns,
                  const Envelope<T>& envelope) {
  const auto count = static_cast<i64>(rows.size());
  const auto term = [&](i64 i) {
    const auto at = static_cast<std::size_t>(i);
    const double value = rows[at];
    const double apart = std::max({0.0, value - envelope.greatest[at], envelope.least[at] - value});
    return cost_of_distance(apart, costs.squared);
  };
  // The first pair and the last one are known, unless any columns may be left out.
  const i64 known = costs.free_columns || count < 2 ? 0 : 1;
  double sums[4] = {};
  i64 i = known;
  for (; i + 4 <= count - known; i += 4) {
    for (int k = 0; k < 4; ++k) sums[k] += term(i + k);
  }
  for (; i < count - known; ++i) sums[0] += term(i);
  double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  if (known > 0) {
    sum += cost_of_distance(double{rows.front()} - double{columns.front()}, costs.squared);
    sum += cost_of_distance(double{rows.back()} - double{columns.back()}, costs.squared);
  }
  return certain_cost(sum, static_cast<double>(rows.size() + columns.size() + 8), sizeof(T) == 8);
}

template void make_envelope(std::span<const float>, i64, i64, Envelope<float>&);
template void make_envelope(std::span<const double>, i64, i64, Envelope<double>&);
template double least_cost(const WarpingCosts&, std::span<const float>, std::span<const float>,
                           const Envelope<float>&);
template double least_cost(const WarpingCosts&, std::span<const double>, std::span<const double>,
                           const Envelope<double>&);

}  // namespace terrace::pairs
