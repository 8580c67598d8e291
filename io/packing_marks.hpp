// Looking for the elements that a Packing marks, among those that are read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "io/packing.hpp"

namespace terrace::io {

/// A number in the digits that people want to read of it.
template <class T>
std::string number_text(T value) {
  if constexpr (std::is_integral_v<T>) return std::to_string(value);
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  return text;
}

/// The marks of a Packing among elements as they are stored, of type T: fill values, elements outside of the valid
/// range, NaN.
template <class T>
class Marks {
 public:
  /// @param with_nan NaN is a mark @param signs elements that `_Unsigned` changes are marked
  /// @param kept elements that are not marked
  Marks(const Packing& packing, bool with_nan, bool signs, const std::vector<long double>& kept)
      : packing_(packing), with_nan_(with_nan && std::is_floating_point_v<T>) {
    for (const long double value : kept) {
      if (holds(value)) kept_.push_back(static_cast<T>(value));
    }
    for (const Packing::Fill& fill : packing.fills) {
      const bool marks = holds(fill.value) && !is_kept(static_cast<T>(fill.value));
      if (marks) fills_.push_back(static_cast<T>(fill.value));
    }
    if (signs) {
      // The elements whose highest bit is not set are the same with either sign.
      least_ = T(0);
      most_ = static_cast<T>(std::is_signed_v<T> ? Limits::max() : Limits::max() / 2);
    }
    if (packing.least && !packing.least->unpacked) raise(packing.least->value);
    if (packing.most && !packing.most->unpacked) lower(packing.most->value);
    bounded_ = signs || packing.least || packing.most;
  }

  /// False if no element can be marked.
  bool any() const { return bounded_ || with_nan_ || !fills_.empty(); }

  /// True if some of the elements are marked.
  bool in(const T* values, std::int64_t count) const {
    unsigned found = 0;
    for (const T fill : fills_) {
      for (std::int64_t n = 0; n < count; ++n) found |= static_cast<unsigned>(values[n] == fill);
    }
    if (with_nan_) {
      for (std::int64_t n = 0; n < count; ++n) found |= static_cast<unsigned>(values[n] != values[n]);
    }
    if (!bounded_ || nothing_valid_) return found != 0 || nothing_valid_;
    if (kept_.empty()) {
      for (std::int64_t n = 0; n < count; ++n) {
        found |= static_cast<unsigned>(values[n] < least_) | static_cast<unsigned>(values[n] > most_);
      }
      return found != 0;
    }
    const T one = kept_.front(), other = kept_.back();
    for (std::int64_t n = 0; n < count; ++n) {
      const T value = values[n];
      found |= static_cast<unsigned>(((value < least_) | (value > most_)) & (value != one) & (value != other));
    }
    return found != 0;
  }

  /// True if an element is marked.
  bool has(T value) const {
    if (std::find(fills_.begin(), fills_.end(), value) != fills_.end()) return true;
    if (with_nan_ && value != value) return true;
    return bounded_ && (nothing_valid_ || value < least_ || value > most_) && !is_kept(value);
  }

  /// The reason why an element is missing: "by its attribute `_FillValue`"; empty if it is not.
  std::string reason(T value) const {
    const auto number = static_cast<long double>(value);
    for (const Packing::Fill& fill : packing_.fills) {
      if (fill.value == number) return "by its " + fill.origin;
    }
    if (packing_.least && number < packing_.least->value) return "outside of its " + packing_.least->origin;
    if (packing_.most && number > packing_.most->value) return "outside of its " + packing_.most->origin;
    return "";
  }

 private:
  using Limits = std::numeric_limits<T>;

  static bool holds(long double value) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<long double>(static_cast<T>(value)) == value;
    else {
      return value == std::floor(value) && value >= static_cast<long double>(Limits::lowest()) &&
             value <= static_cast<long double>(Limits::max());
    }
  }
  bool is_kept(T value) const { return std::find(kept_.begin(), kept_.end(), value) != kept_.end(); }

  /// Leaves out the elements below a bound.
  void raise(long double bound) {
    if (bound > static_cast<long double>(most_)) nothing_valid_ = true;
    else if (bound > static_cast<long double>(least_)) least_ = static_cast<T>(whole(bound, std::ceil(bound)));
  }
  /// Leaves out the elements above a bound.
  void lower(long double bound) {
    if (bound < static_cast<long double>(least_)) nothing_valid_ = true;
    else if (bound < static_cast<long double>(most_)) most_ = static_cast<T>(whole(bound, std::floor(bound)));
  }
  static long double whole(long double bound, long double rounded) {
    return std::is_floating_point_v<T> ? bound : rounded;
  }

  const Packing& packing_;
  bool with_nan_;
  std::vector<T> fills_, kept_;
  bool bounded_ = false, nothing_valid_ = false;
  T least_ = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  T most_ = Limits::has_infinity ? Limits::infinity() : Limits::max();
};

}  // namespace terrace::io
