#include "stages/block_levels.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/rounding.hpp"
#include "stages/dealing.hpp"

namespace terrace::stages {

BlockLevels::BlockLevels(std::vector<std::int64_t> extents) : extents_(std::move(extents)) {
  blocks_.assign(extents_.size() + 1, {1});
  for (std::size_t d = extents_.size(); d-- > 0;) {
    const auto& after = blocks_[d + 1];
    auto& here = blocks_[d];
    here.assign(after.size() + static_cast<std::size_t>(extents_[d]) - 1, 0);
    for (std::size_t place = 0; place < static_cast<std::size_t>(extents_[d]); ++place) {
      for (std::size_t sum = 0; sum < after.size(); ++sum) here[place + sum] += after[sum];
    }
  }
  // Prefix sums, up to the largest sum of all places together.
  const std::size_t levels = blocks_.front().size();
  for (const auto& of_sum : blocks_) {
    auto& below = sums_.emplace_back(levels + 1, 0);
    for (std::size_t s = 0; s < levels; ++s) below[s + 1] = below[s] + (s < of_sum.size() ? of_sum[s] : 0);
  }
}

std::int64_t BlockLevels::widest() const { return *std::max_element(blocks_.front().begin(), blocks_.front().end()); }

std::int64_t BlockLevels::rounds(std::int64_t devices) const {
  std::int64_t rounds = 0;
  for (const std::int64_t blocks : blocks_.front()) rounds += ceiling(blocks, devices);
  return rounds;
}

int BlockLevels::device(std::int64_t block, int devices) const {
  std::vector<std::int64_t> place(extents_.size());
  std::int64_t level = 0;
  for (std::size_t d = extents_.size(); d-- > 0; block /= extents_[d]) level += place[d] = block % extents_[d];
  // Blocks of the level before it: with a smaller place in dimension d and the same ones before.
  std::int64_t before = 0, left = level;
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    const auto& sums = sums_[d + 1];
    before += sums[static_cast<std::size_t>(left) + 1] - sums[static_cast<std::size_t>(left - place[d]) + 1];
    left -= place[d];
  }
  return static_cast<int>(DealtParts{blocks_.front()[static_cast<std::size_t>(level)], devices}.part_of(before));
}

}  // namespace terrace::stages
