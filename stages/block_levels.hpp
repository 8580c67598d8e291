// Blocks of a grid by levels, of which the blocks of one are dealt to several devices.
#pragma once

#include <cstdint>
#include <vector>

namespace terrace::stages {

/// Blocks have places along some axes and are numbered in row-major order. A block's level is the sum of its places:
/// if it depends on blocks that come before it along some axes and not after it along any, these are of lower levels.
/// Blocks of a level are dealt in row-major order in parts of equal size, so that a device has much of what its
/// blocks read.
class BlockLevels {
 public:
  explicit BlockLevels(std::vector<std::int64_t> extents);

  std::int64_t count() const { return static_cast<std::int64_t>(blocks_.front().size()); }
  /// Blocks of the largest level.
  std::int64_t widest() const;
  /// Blocks of the device that has most, of level after level.
  std::int64_t rounds(std::int64_t devices) const;
  int device(std::int64_t block, int devices) const;

 private:
  std::vector<std::int64_t> extents_;  // of places
  // blocks_[d][s]: index vectors of the places from d on with the sum s; sums_[d][s]: of those with a sum below s.
  std::vector<std::vector<std::int64_t>> blocks_, sums_;
};

}  // namespace terrace::stages
