// Statements of inputs about their values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// The values of an array, as its input states them before they are read. Every element lies in [least, most], is one
/// of `fillers`, or is NaN where `has_nan` allows it. A long double holds each value of every element type exactly.
/// A statement may be wrong: who relies on it compares it with the elements that are read.
struct KnownRange {
  long double least = 0, most = 0;        // least > most: no element lies there
  std::vector<long double> fillers = {};  // stand where there is no value: `_FillValue`, no edge of a graph
  bool has_nan = false;                   // whether elements may be NaN
  bool exact = false;                     // whether `least` and `most` are elements
  std::string origin = {};                // of the statement, for errors: "attribute `valid_range`"

  bool operator==(const KnownRange&) const = default;
};

/// The exact range of numbers, by one look at all of them.
template <class T>
KnownRange range_of(std::span<const T> values, std::string origin) {
  KnownRange range;
  range.least = 1;
  range.exact = true;
  range.origin = std::move(origin);
  bool any = false;
  T least{}, most{};
  for (const T value : values) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) {
        range.has_nan = true;
        continue;
      }
    }
    least = any ? std::min(least, value) : value;
    most = any ? std::max(most, value) : value;
    any = true;
  }
  if (any) range.least = static_cast<long double>(least), range.most = static_cast<long double>(most);
  return range;
}

}  // namespace terrace::io
