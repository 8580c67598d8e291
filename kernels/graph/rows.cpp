#include "kernels/graph/rows.hpp"

#include <algorithm>

namespace terrace::graph {

void Rows::add(Range range) {
  if (range.size() <= 0) return;
  const auto first = std::ranges::lower_bound(ranges_, range.begin, {}, &Range::end);
  const auto end = std::ranges::upper_bound(first, ranges_.end(), range.end, {}, &Range::begin);
  if (first == end) {
    ranges_.insert(first, range);
    return;
  }
  *first = {std::min(range.begin, first->begin), std::max(range.end, std::prev(end)->end)};
  ranges_.erase(std::next(first), end);
}

void Rows::add(const Rows& rows) {
  for (const Range& range : rows.ranges_) add(range);
}

void Rows::add_inside(Range range, i64 extent, Boundary boundary) {
  add({std::max<i64>(range.begin, 0), std::min(range.end, extent)});
  add_outside({range.begin, std::min<i64>(range.end, 0)}, extent, boundary);
  add_outside({std::max(range.begin, extent), range.end}, extent, boundary);
}

void Rows::add_outside(Range range, i64 extent, Boundary boundary) {
  if (boundary == Boundary::value || range.size() <= 0) return;
  if (boundary != Boundary::edge && range.size() >= 2 * extent) return add({0, extent});
  // The rows between two turns, or two repetitions, stand for rows that follow one another.
  const i64 stretch = boundary == Boundary::edge      ? range.size()
                      : boundary == Boundary::reflect ? std::max<i64>(extent - 1, 1)
                                                      : extent;
  while (range.begin < range.end) {
    const i64 into = (range.begin % stretch + stretch) % stretch;
    const i64 end = boundary == Boundary::edge ? range.end : std::min(range.end, range.begin - into + stretch);
    const auto [least, most] =
        std::minmax({index_inside(range.begin, extent, boundary), index_inside(end - 1, extent, boundary)});
    add({least, most + 1});
    range.begin = end;
  }
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
