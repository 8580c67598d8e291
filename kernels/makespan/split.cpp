#include "kernels/makespan/split.hpp"

#include <algorithm>
#include <limits>

namespace terrace::makespan {

i64 EvenSplit::search(const std::vector<i64>& numbers, i64 goal, i64 most_nodes) {
  goal_ = goal, left_ = most_nodes;
  best_ = std::numeric_limits<i64>::max();
  count_ = static_cast<i32>(numbers.size());
  joints_.clear(), best_joints_.clear();
  std::vector<Part> parts;
  parts.reserve(numbers.size());
  for (i32 n = 0; n < count_; ++n) parts.push_back({numbers[static_cast<std::size_t>(n)], n});
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.value > b.value; });
  if (parts.empty()) return best_ = 0;
  visit(parts);
  return best_;
}

i32 EvenSplit::joint(i32 first, i32 second, bool apart) {
  joints_.push_back({first, second, apart});
  return count_ + static_cast<i32>(joints_.size()) - 1;
}

/// The largest part is at least as large as all others: these go to the other side.
void EvenSplit::join_all(const std::vector<Part>& parts, i64 rest) {
  const i64 difference = parts.front().value - rest;
  if (difference >= best_) return;
  const std::size_t before = joints_.size();
  i32 node = parts.front().node;
  for (std::size_t n = 1; n < parts.size(); ++n) node = joint(node, parts[n].node, true);
  best_ = difference;
  best_joints_ = joints_;
  joints_.resize(before);
}

/// @param parts by falling value
void EvenSplit::visit(std::vector<Part>& parts) {
  --left_;
  i64 rest = 0;
  for (std::size_t n = 1; n < parts.size(); ++n) rest += parts[n].value;
  if (parts.front().value >= rest) return join_all(parts, rest);
  for (const bool apart : {true, false}) {
    const Part &first = parts[0], &second = parts[1];
    const Part joined{apart ? first.value - second.value : first.value + second.value,
                      joint(first.node, second.node, apart)};
    std::vector<Part> fewer(parts.begin() + 2, parts.end());
    fewer.insert(std::upper_bound(fewer.begin(), fewer.end(), joined,
                                  [](const Part& a, const Part& b) { return a.value > b.value; }),
                 joined);
    visit(fewer);
    joints_.pop_back();
    if (best_ <= goal_ || left_ <= 0) return;
  }
}

std::vector<std::uint8_t> EvenSplit::sides() const {
  std::vector<std::uint8_t> sides(static_cast<std::size_t>(count_) + best_joints_.size());
  for (std::size_t n = best_joints_.size(); n-- > 0;) {
    const Joint& made = best_joints_[n];
    const std::uint8_t side = sides[static_cast<std::size_t>(count_) + n];
    sides[static_cast<std::size_t>(made.first)] = side;
    sides[static_cast<std::size_t>(made.second)] = static_cast<std::uint8_t>(made.apart ? 1 - side : side);
  }
  sides.resize(static_cast<std::size_t>(count_));
  return sides;
}

}  // namespace terrace::makespan
