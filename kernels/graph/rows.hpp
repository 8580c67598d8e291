// Sets of rows of an array.
#pragma once

#include <vector>

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// A set of rows, of which those that are there are numbered from 0 on.
class Rows {
 public:
  /// Adds a range; an empty one is nothing.
  void add(Range range);
  void add(const Rows& rows);
  /// Adds the rows that a range means which may lie outside of [0, extent).
  void add_inside(Range range, i64 extent, Boundary boundary);

  /// Ascending, with rows between them that are not in the set.
  const std::vector<Range>& ranges() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }
  i64 size() const;
  /// The number of a row of the set.
  i64 number_of(i64 row) const;
  /// The row of that number.
  i64 operator[](i64 number) const;
  /// The set and the rows of its smallest gaps, so that it has at most so many ranges.
  Rows joined(std::size_t most_ranges) const;

  friend bool operator==(const Rows&, const Rows&) = default;

 private:
  /// Adds the rows that rows above 0, or from `extent` on, mean.
  void add_outside(Range range, i64 extent, Boundary boundary);

  std::vector<Range> ranges_;
};

}  // namespace terrace::graph
