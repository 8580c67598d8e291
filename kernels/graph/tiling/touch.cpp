#include "kernels/graph/tiling/touch.hpp"

#include <algorithm>
#include <limits>

#include "kernels/graph/operators.hpp"

namespace terrace::graph {

Range RowReach::of(Range rows) const {
  if (always.size() > 0) return always;
  if (node == nullptr) return {rows.begin + low, rows.end + high};
  return reach_of(*graph, *node, operand, {rows, {0, 1}}).rows;
}

RowTouch::RowTouch(const Touch& touch, Range rows) : touch_(touch), rows_(rows) {
  // Operators keep the number of rows, halve or double it, or read everything.
  constexpr i64 far = 1000;
  const Range one = touch.reach.of({0, 1}), many = touch.reach.of({far, 2 * far});
  is_unit_ = many.begin - far == one.begin && many.end - 2 * far == one.end - 1;
  low_ = one.begin, high_ = one.end - 1;
  const Range all = touch.reach.of(rows);
  const auto inside = [&](i64 row) {
    const i64 found = index_inside(row, touch.reach.extent, touch.reach.boundary);
    return found < touch.reach.held.begin || found >= touch.reach.held.end ? outside : found;
  };
  for (i64 row = all.begin; row < std::min<i64>(all.end, 0); ++row) top_end_ = std::max(top_end_, inside(row) + 1);
  for (i64 row = std::max(all.begin, touch.reach.extent); row < all.end; ++row) {
    if (inside(row) != outside) bottom_begin_ = std::min(bottom_begin_, inside(row));
  }
}

Range RowTouch::reached(Range rows) const {
  const Range raw = is_unit_ ? Range{rows.begin + low_, rows.end + high_} : touch_.reach.of(rows);
  return {std::max<i64>(raw.begin, 0), std::min(raw.end, touch_.reach.extent)};
}

Bytes RowTouch::of(Range rows) const {
  const Range touched = reached(rows);
  if (rows.size() <= 0 || touched.size() <= 0 || touch_.bytes == 0) return {address(0), address(0)};
  return {address(touched.begin), address(touched.end - 1) + touch_.bytes};
}

i64 RowTouch::first_from(i64 begin) const { return std::min(reached({begin, rows_.end}).begin, bottom_begin_); }

Bytes RowTouch::all() const {
  if (rows_.size() <= 0 || touch_.bytes == 0) return {address(0), address(0)};
  return {address(first_from(rows_.begin)), end_before(rows_.end)};
}

i64 RowTouch::end_before(i64 end) const {
  if (end <= rows_.begin) return std::numeric_limits<i64>::min();
  return address(std::max(reached({rows_.begin, end}).end, top_end_) - 1) + touch_.bytes;
}

i64 RowTouch::rows_touching_below(i64 address_end) const {
  if (address_end <= address(0)) return rows_.begin;
  // Rows of the array from `row` on begin at or after the address.
  const i64 row = (address_end - address(0) + touch_.stride - 1) / touch_.stride;
  if (row > bottom_begin_) return rows_.end;
  if (is_unit_) return std::clamp(row - low_, rows_.begin, rows_.end);
  i64 begin = rows_.begin, end = rows_.end;
  while (begin < end) {
    const i64 middle = begin + (end - begin) / 2;
    if (first_from(middle) >= row) end = middle;
    else begin = middle + 1;
  }
  return begin;
}

}  // namespace terrace::graph
