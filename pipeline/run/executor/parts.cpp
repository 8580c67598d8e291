#include "pipeline/run/executor/parts.hpp"

#include <algorithm>
#include <iterator>

namespace terrace::run {
namespace {

/// True if two disjoint boxes form one: equal in all dimensions but one, in which they meet.
bool is_one_box(const Box& a, const Box& b) {
  int different = 0;
  for (int d = 0; d < a.rank(); ++d) {
    if (a.begin[d] == b.begin[d] && a.end[d] == b.end[d]) continue;
    if (++different > 1 || (a.end[d] != b.begin[d] && b.end[d] != a.begin[d])) return false;
  }
  return true;
}

Box joined(const Box& a, const Box& b) {
  Box box = a;
  for (int d = 0; d < a.rank(); ++d) {
    box.begin[d] = std::min(a.begin[d], b.begin[d]);
    box.end[d] = std::max(a.end[d], b.end[d]);
  }
  return box;
}

}  // namespace

void Parts::add(const Box& box) {
  for (const Box& part : missing(box)) {
    boxes_.push_back(part);
    merge_last();
  }
}

/// Joins the last box with others as long as two of them form one.
void Parts::merge_last() {
  for (std::size_t other = 0; other + 1 < boxes_.size();) {
    if (!is_one_box(boxes_[other], boxes_.back())) {
      ++other;
      continue;
    }
    const Box both = joined(boxes_[other], boxes_.back());
    boxes_.pop_back();
    boxes_[other] = boxes_.back();
    boxes_.back() = both;
    other = 0;
  }
}

void Parts::remove(const Box& box) {
  std::vector<Box> rest;
  for (const Box& part : boxes_) {
    std::vector<Box> left = subtract(part, box);
    rest.insert(rest.end(), std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
  }
  boxes_ = std::move(rest);
}

bool Parts::covers(const Box& box) const {
  if (boxes_.size() == 1) return contains(boxes_.front(), box);
  std::int64_t left = box.volume();
  for (const Box& part : boxes_) left -= intersect(part, box).volume();
  return left == 0;
}

std::vector<Box> Parts::missing(const Box& box) const {
  if (box.empty()) return {};
  std::vector<Box> rest{box};
  for (const Box& part : boxes_) {
    std::vector<Box> left;
    for (const Box& piece : rest) {
      std::vector<Box> pieces = subtract(piece, part);
      left.insert(left.end(), std::make_move_iterator(pieces.begin()), std::make_move_iterator(pieces.end()));
    }
    rest = std::move(left);
  }
  return rest;
}

std::vector<Box> Parts::common(const Box& box) const {
  std::vector<Box> found;
  for (const Box& part : boxes_) {
    Box both = intersect(part, box);
    if (!both.empty()) found.push_back(std::move(both));
  }
  return found;
}

std::int64_t Parts::volume() const {
  std::int64_t total = 0;
  for (const Box& part : boxes_) total += part.volume();
  return total;
}

std::vector<Box> missing(const std::vector<Box>& boxes, const Parts& parts) {
  std::vector<Box> rest;
  for (const Box& box : boxes) {
    std::vector<Box> left = parts.missing(box);
    rest.insert(rest.end(), std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
  }
  return rest;
}

}  // namespace terrace::run
