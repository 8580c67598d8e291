#include "pipeline/app/show/united.hpp"

#include <algorithm>

namespace terrace::app {

double united(Intervals intervals) {
  std::sort(intervals.begin(), intervals.end());
  double total = 0, until = 0;
  bool any = false;
  for (const auto& [begin, end] : intervals) {
    const double from = any ? std::max(begin, until) : begin;
    total += std::max(0.0, end - from);
    until = any ? std::max(until, end) : end;
    any = true;
  }
  return total;
}

}  // namespace terrace::app
