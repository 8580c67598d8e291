// Problems over intervals by their definition: the reference for all other ways of computing.
#pragma once

#include <cstdint>

#include "kernels/recursive/interval_rules.hpp"

namespace terrace::recursive {

/// The value of an interval, and the first of its best splits.
template <class T>
struct IntervalValue {
  T value;
  std::int32_t split;
};

/// The value of the interval [i, j), j > i + 1, from the parts that it may be split into.
/// @param left, right left(k) is x(i, k), right(k) is x(k, j); @param inner x(i + 1, j - 1)
template <class R, class T, class Left, class Right>
IntervalValue<T> interval_value(const NodeTerms<T>& terms, std::int64_t i, std::int64_t j, Left&& left, Right&& right,
                                T inner) {
  using S = typename R::Algebra;
  T best = S::template zero<T>();
  std::int32_t at = last_split;
  for (std::int64_t k = i + 1; k < j; ++k) {
    T weight = T(0), last = T(0);
    if constexpr (R::weighted) weight = static_cast<T>(terms.first[i] * terms.first[k]), last = terms.first[j];
    const T value = R::template split<T>(left(k), right(k), weight, last);
    if (takes_place<S>(value, static_cast<std::int32_t>(k), best, at)) {
      best = value;
      at = static_cast<std::int32_t>(k);
    }
  }
  if constexpr (R::looks_inside) {
    if (R::pairs(terms, i, j) && inner + 1 >= best) at = static_cast<std::int32_t>(i);
  }
  return {R::whole(best, inner, terms, i, j), at};
}

/// The whole table, interval by interval, the shorter ones first; zeros below the diagonal, and the first of the
/// splits that are best.
/// @param x, split row-major, nodes x nodes
template <class R, class T>
void solve_intervals(const NodeTerms<T>& terms, std::int64_t nodes, T* x, std::int32_t* split) {
  for (std::int64_t n = 0; n < nodes * nodes; ++n) x[n] = T(0), split[n] = no_split;
  for (std::int64_t i = 0; i + 1 < nodes; ++i) x[i * nodes + i + 1] = R::leaf(terms, i);
  for (std::int64_t length = 2; length < nodes; ++length) {
    for (std::int64_t i = 0; i + length < nodes; ++i) {
      const std::int64_t j = i + length;
      const IntervalValue<T> found = interval_value<R, T>(
          terms, i, j, [&](std::int64_t k) { return x[i * nodes + k]; },
          [&](std::int64_t k) { return x[k * nodes + j]; }, x[(i + 1) * nodes + j - 1]);
      x[i * nodes + j] = found.value;
      split[i * nodes + j] = found.split;
    }
  }
}

}  // namespace terrace::recursive
