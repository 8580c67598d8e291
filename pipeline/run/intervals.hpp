// A set of whole numbers kept as half-open ranges.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace terrace::run {

class Intervals {
 public:
  /// Adds [begin, end).
  void add(std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin()) {
      auto previous = std::prev(next);
      if (previous->second >= begin) {
        begin = previous->first;
        end = previous->second > end ? previous->second : end;
        ranges_.erase(previous);
      }
    }
    while (next != ranges_.end() && next->first <= end) {
      end = next->second > end ? next->second : end;
      next = ranges_.erase(next);
    }
    ranges_[begin] = end;
  }
  /// Removes the first range. There is one. @return its begin and end
  std::pair<std::int64_t, std::int64_t> take_first() {
    const std::pair<std::int64_t, std::int64_t> first = *ranges_.begin();
    ranges_.erase(ranges_.begin());
    return first;
  }
  bool contains(std::int64_t value) const {
    auto next = ranges_.upper_bound(value);
    return next != ranges_.begin() && std::prev(next)->second > value;
  }
  std::int64_t count() const {
    std::int64_t total = 0;
    for (const auto& [begin, end] : ranges_) total += end - begin;
    return total;
  }
  const std::map<std::int64_t, std::int64_t>& ranges() const { return ranges_; }

 private:
  std::map<std::int64_t, std::int64_t> ranges_;
};

}  // namespace terrace::run
