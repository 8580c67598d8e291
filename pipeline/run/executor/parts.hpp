// A set of points of a tile, kept as disjoint boxes.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/base/box.hpp"

namespace terrace::run {

/// The parts of a tile that a copy holds. One box, the usual case, costs no search.
class Parts {
 public:
  Parts() = default;
  explicit Parts(const Box& box) { add(box); }

  /// Adds the points of `box`; some may be in the set already.
  void add(const Box& box);
  /// Removes the points of `box`.
  void remove(const Box& box);
  void clear() { boxes_.clear(); }

  bool empty() const { return boxes_.empty(); }
  bool covers(const Box& box) const;
  /// The points of `box` that are not in the set, as disjoint boxes.
  std::vector<Box> missing(const Box& box) const;
  /// The points of `box` that are in the set, as disjoint boxes.
  std::vector<Box> common(const Box& box) const;
  /// Number of points.
  std::int64_t volume() const;
  const std::vector<Box>& boxes() const { return boxes_; }

 private:
  void merge_last();

  std::vector<Box> boxes_;  // disjoint, none empty
};

/// The points of `boxes` that `parts` does not hold, as disjoint boxes.
std::vector<Box> missing(const std::vector<Box>& boxes, const Parts& parts);

}  // namespace terrace::run
