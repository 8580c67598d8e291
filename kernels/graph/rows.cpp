#include "kernels/graph/rows.hpp"

#include <algorithm>

namespace terrace::graph {

void Rows::add(Range range) {
  if (range.size() <= 0) return;
  std::vector<Range> made;
  for (const Range& own : ranges_) {
    if (own.end < range.begin || own.begin > range.end) made.push_back(own);
    else range = {std::min(range.begin, own.begin), std::max(range.end, own.end)};
  }
  made.insert(std::ranges::upper_bound(made, range.begin, {}, &Range::begin), range);
  ranges_ = std::move(made);
}

void Rows::add(const Rows& rows) {
  for (const Range& range : rows.ranges_) add(range);
}

void Rows::add_inside(Range range, i64 extent, Boundary boundary) {
  add({std::max<i64>(range.begin, 0), std::min(range.end, extent)});
  const auto add_row = [&](i64 row) {
    const i64 inside = index_inside(row, extent, boundary);
    if (inside != outside) add({inside, inside + 1});
  };
  for (i64 row = range.begin; row < std::min<i64>(range.end, 0); ++row) add_row(row);
  for (i64 row = std::max(range.begin, extent); row < range.end; ++row) add_row(row);
}

i64 Rows::size() const {
  i64 all = 0;
  for (const Range& range : ranges_) all += range.size();
  return all;
}

i64 Rows::number_of(i64 row) const {
  i64 before = 0;
  for (const Range& range : ranges_) {
    if (row < range.end) return before + row - range.begin;
    before += range.size();
  }
  return before;
}

i64 Rows::operator[](i64 number) const {
  for (const Range& range : ranges_) {
    if (number < range.size()) return range.begin + number;
    number -= range.size();
  }
  return ranges_.back().end;
}

Rows Rows::joined(std::size_t most_ranges) const {
  Rows made = *this;
  std::vector<Range>& ranges = made.ranges_;
  while (ranges.size() > most_ranges) {
    std::size_t least = 0;
    const auto gap = [&](std::size_t at) { return ranges[at + 1].begin - ranges[at].end; };
    for (std::size_t at = 1; at + 1 < ranges.size(); ++at) {
      if (gap(at) < gap(least)) least = at;
    }
    ranges[least].end = ranges[least + 1].end;
    ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(least) + 1);
  }
  return made;
}

}  // namespace terrace::graph
