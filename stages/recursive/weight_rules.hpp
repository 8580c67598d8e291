// The rules by which a matrix says what its elements are.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

#include "io/data_error.hpp"
#include "io/rounded.hpp"
#include "kernels/recursive/semiring.hpp"
#include "stages/recursive/weight_range.hpp"

namespace terrace::stages {

/// True if arrays of that type have a value that means "no path" by itself.
template <class T>
inline constexpr bool has_infinity = std::is_floating_point_v<T> || (std::is_signed_v<T> && sizeof(T) > 1);

/// Elements off the diagonal that were read so far, by any thread; those read twice count twice.
struct ZeroCount {
  std::atomic<std::int64_t> all{0}, zero{0};
};

/// The meaning of a matrix's elements.
struct WeightRules {
  io::DataLabel label;            // of the matrix, for errors
  std::optional<double> no_edge;  // the value that means none; nothing: infinity, or half the largest of its type
  bool zero_diagonal = true;      // whether a node is no farther from itself than nothing
  recursive::Nothing nothing = recursive::Nothing::infinity;  // what no edge is; the other infinity is an error
  bool any_infinity = false;                                  // not so
  bool not_negative = false;                                  // negative elements are errors
  bool zero_or_one = false;                    // where no edge is false: elements other than 0 and 1 are errors
  bool one_type = false;                       // the result is of one type alone: no other can be asked for
  std::shared_ptr<ZeroCount> zeros = nullptr;  // counts what is read; null: nothing is counted
  std::shared_ptr<io::RoundedElement> rounded = nullptr;  // looks at whole numbers read as reals; null: nothing does
  std::optional<StatedWeights> stated = std::nullopt;     // elements outside of it are errors
};

/// Infinity of the sign that means no edge.
template <class T>
T no_edge_of(const WeightRules& rules) {
  const T infinity = recursive::infinity<T>();
  return rules.nothing == recursive::Nothing::minus_infinity ? static_cast<T>(-infinity) : infinity;
}

/// True if a value of the matrix says that there is no edge.
template <class T>
bool is_no_edge(T value, const WeightRules& rules) {
  if (rules.no_edge) return static_cast<double>(value) == *rules.no_edge;
  if (rules.nothing == recursive::Nothing::zero || rules.nothing == recursive::Nothing::false_) return false;
  if constexpr (has_infinity<T>) return value == no_edge_of<T>(rules);
  else return false;
}

/// An element of a matrix of type T that is_no_edge(), or nullopt if none is.
template <class T>
std::optional<T> no_edge_element(const WeightRules& rules) {
  using recursive::Nothing;
  if (rules.no_edge) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(*rules.no_edge);
    // The largest of 64 bits are rounded up to a number beyond them.
    constexpr T largest = std::numeric_limits<T>::max();
    return *rules.no_edge >= static_cast<double>(largest) ? largest : static_cast<T>(*rules.no_edge);
  }
  if (rules.nothing == Nothing::zero || rules.nothing == Nothing::false_) return std::nullopt;
  if constexpr (has_infinity<T>) return no_edge_of<T>(rules);
  else return std::nullopt;
}

}  // namespace terrace::stages
