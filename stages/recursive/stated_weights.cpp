#include "stages/recursive/stated_weights.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace terrace::stages {
namespace {

using recursive::Nothing;

/// A range without the element that means no edge where that is one of its ends, in whole numbers.
struct Ends {
  long double least, most;
  bool exact;

  void leave_out(long double none) {
    if (!std::isfinite(none)) return;
    if (most == none) most -= 1, exact = false;
    if (least == none) least += 1, exact = false;
  }
};

/// The range in i64, or nullopt if it leaves that.
std::optional<WeightRange> whole_range(const Ends& ends) {
  const long double least = std::ceil(ends.least), most = std::floor(ends.most);
  if (!(least <= most)) return WeightRange{};
  constexpr auto limit = static_cast<long double>(std::numeric_limits<std::int64_t>::max());
  if (!(least >= -limit && most <= limit)) return std::nullopt;
  return WeightRange{true, static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)};
}

/// The ends of a range as elements of the matrix, which hold them all.
template <class From>
std::pair<From, From> ends_of(const WeightRange& range) {
  if constexpr (std::is_floating_point_v<From>) {
    return {static_cast<From>(range.least), static_cast<From>(range.most)};
  } else {
    using Limits = std::numeric_limits<From>;
    const auto clamped = [](std::int64_t value) {
      if (std::cmp_less(value, Limits::min())) return Limits::min();
      return std::cmp_greater(value, Limits::max()) ? Limits::max() : static_cast<From>(value);
    };
    return {clamped(range.least), clamped(range.most)};
  }
}

template <class From>
std::optional<std::int64_t> find_outside(const From* values, std::int64_t count, const WeightRules& rules) {
  const WeightRange& range = rules.stated->range;
  const auto [least, most] = ends_of<From>(range);
  const std::optional<From> none = no_edge_element<From>(rules);
  if (range.any) {
    // Without a branch, so that the loop is vectorised. Where nothing means no edge, a value of the range stands for
    // it.
    const From apart = none.value_or(least), low = least, high = most;
    unsigned outside = 0;
    for (std::int64_t n = 0; n < count; ++n) {
      const From value = values[n];
      outside |= static_cast<unsigned>(((value < low) | (value > high)) & (value != apart));
    }
    if (outside == 0) return std::nullopt;
  }
  for (std::int64_t n = 0; n < count; ++n) {
    const bool inside = range.any && !(values[n] < least || values[n] > most);
    if (!inside && !is_no_edge(values[n], rules)) return n;
  }
  return std::nullopt;
}

}  // namespace

std::optional<StatedWeights> stated_weights(const io::Source& matrix, const WeightRules& rules) {
  const auto known = matrix.known_range();
  if (!known) return std::nullopt;
  Ends ends{known->least, known->most, known->exact};
  std::optional<long double> none;
  dispatch(matrix.type(), [&](auto zero) {
    if (const auto element = no_edge_element<decltype(zero)>(rules)) none = static_cast<long double>(*element);
  });
  if (none) ends.leave_out(*none);
  auto range = whole_range(ends);
  if (!range) return std::nullopt;
  for (const long double filler : known->fillers) {
    if (filler == none) continue;
    const auto as_weight = whole_range({filler, filler, true});
    if (!as_weight) return std::nullopt;
    if (as_weight->any) range->add(as_weight->least, as_weight->most);
    ends.exact = false;
  }
  return StatedWeights{*range, ends.exact,
                       "the range that " + known->origin + " states: correct the element, or what is stated"};
}

std::optional<std::int64_t> first_outside(ElementType type, const void* values, std::int64_t count,
                                          const WeightRules& rules) {
  return dispatch(type,
                  [&](auto zero) { return find_outside(static_cast<const decltype(zero)*>(values), count, rules); });
}

}  // namespace terrace::stages
