// One element of a matrix as the weight of an edge: what it becomes in another type, and what is wrong with it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/recursive/semiring.hpp"
#include "stages/recursive/weight_rules.hpp"

namespace terrace::stages {

/// The fault of an element that is to be of type To; null: none.
template <class From, class To>
const char* fault_of_weight(From value, const WeightRules& rules) {
  const char* const too_large = rules.one_type ? "is too large for the type of the result"
                                               : "is too large for the type of the result; give a wider `type`";
  if constexpr (std::is_signed_v<From>) {
    if (rules.not_negative && value < From(0)) return "is negative, which no factor of `max_times` may be";
  }
  if constexpr (std::is_floating_point_v<From>) {
    if (std::isnan(value)) return "is no number (NaN)";
    if (std::isinf(value)) {
      if (rules.any_infinity) return nullptr;
      if (rules.no_edge) return "is infinite, while `no_edge` names another value for no edge";
      return value < 0 ? "is minus infinity, which no element may be here"
                       : "is infinite, which no element may be here";
    }
    if constexpr (!std::is_floating_point_v<To>) {
      if (value != std::floor(value))
        return rules.one_type ? "is no whole number" : "is no whole number; give a floating-point `type`";
      if (std::abs(static_cast<double>(value)) >= static_cast<double>(recursive::infinity<To>())) return too_large;
    } else if (std::isinf(static_cast<To>(value))) {
      return too_large;
    }
  } else if constexpr (!std::is_floating_point_v<To>) {
    constexpr To most = recursive::infinity<To>();
    if (std::cmp_greater_equal(value, most) || std::cmp_less_equal(value, -most)) return too_large;
  }
  return nullptr;
}

/// The value in an error; empty if the fault says it.
template <class T>
std::string finite_text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return "";
  }
  char text[64];  // the shortest that reads back as the value
  return {text, std::to_chars(std::begin(text), std::end(text), value).ptr};
}

[[noreturn]] inline void fail_at_weight(const io::Source& matrix, const WeightRules& rules, std::int64_t row,
                                        std::int64_t column, const std::string& value, const char* fault) {
  rules.label.fail(matrix, {row, column}, (value.empty() ? "" : value + " ") + fault);
}

/// The weight that element (i, j) of a matrix is. @throws io::DataError
template <class To, class From>
To weight_of(const io::Source& matrix, const WeightRules& rules, From value, std::int64_t i, std::int64_t j) {
  if (is_no_edge(value, rules)) return no_edge_of<To>(rules);
  if (const char* fault = fault_of_weight<From, To>(value, rules))
    fail_at_weight(matrix, rules, i, j, finite_text(value), fault);
  if constexpr (std::is_floating_point_v<From> && !std::is_floating_point_v<To>) {
    if (std::isinf(value)) return value < 0 ? static_cast<To>(-recursive::infinity<To>()) : recursive::infinity<To>();
  }
  return static_cast<To>(value);
}

}  // namespace terrace::stages
