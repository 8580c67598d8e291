// The time during which at least one of many spans of time lasts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "pipeline/run/intervals.hpp"

namespace terrace::run {

/// Adds up spans that may overlap and come in any order, as the blocks of several devices do. It keeps the latest
/// `most_spans` separate spans; a span that begins before them counts from the end of the last one that is dropped.
class BusyTime {
 public:
  /// @param begin, end seconds; nothing is added if end <= begin
  void add(double begin, double end) {
    spans_.add(std::max(nanoseconds(begin), since_), nanoseconds(end));
    while (spans_.ranges().size() > most_spans) {
      const auto [first, last] = spans_.take_first();
      before_ += last - first;
      since_ = last;
    }
  }
  double seconds() const { return 1e-9 * static_cast<double>(before_ + spans_.count()); }

 private:
  static constexpr std::size_t most_spans = 1024;

  static std::int64_t nanoseconds(double seconds) { return std::llround(1e9 * seconds); }

  Intervals spans_;
  std::int64_t before_ = 0;         // ns of the spans that are dropped
  std::int64_t since_ = INT64_MIN;  // ns: the end of the last of them
};

}  // namespace terrace::run
