#include "stages/dp_table/tile_levels.hpp"

#include <algorithm>

#include "pipeline/base/rounding.hpp"

namespace terrace::stages {

TileLevels::TileLevels(const dp_table::Table& table) {
  for (int d = 0; d < table.cut.whole; ++d) extents_.push_back(table.extents[d]);
  extents_.push_back(dp_table::Tiles(table).ranges());
  tiles_.assign(extents_.size() + 1, {1});
  for (std::size_t d = extents_.size(); d-- > 0;) {
    const auto& after = tiles_[d + 1];
    auto& here = tiles_[d];
    here.assign(after.size() + static_cast<std::size_t>(extents_[d]) - 1, 0);
    for (std::size_t place = 0; place < static_cast<std::size_t>(extents_[d]); ++place) {
      for (std::size_t sum = 0; sum < after.size(); ++sum) here[place + sum] += after[sum];
    }
  }
  // Of sums up to those of all places together.
  const std::size_t levels = tiles_.front().size();
  for (const auto& of_sum : tiles_) {
    auto& below = sums_.emplace_back(levels + 1, 0);
    for (std::size_t s = 0; s < levels; ++s) below[s + 1] = below[s] + (s < of_sum.size() ? of_sum[s] : 0);
  }
}

std::int64_t TileLevels::widest() const { return *std::max_element(tiles_.front().begin(), tiles_.front().end()); }

std::int64_t TileLevels::rounds(std::int64_t devices) const {
  std::int64_t rounds = 0;
  for (const std::int64_t tiles : tiles_.front()) rounds += ceiling(tiles, devices);
  return rounds;
}

int TileLevels::device(std::int64_t tile, int devices) const {
  std::vector<std::int64_t> place(extents_.size());
  std::int64_t level = 0;
  for (std::size_t d = extents_.size(); d-- > 0; tile /= extents_[d]) level += place[d] = tile % extents_[d];
  // Tiles of the level before it: with a smaller place in dimension d and the same ones before.
  std::int64_t before = 0, left = level;
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    const auto& sums = sums_[d + 1];
    before += sums[static_cast<std::size_t>(left) + 1] - sums[static_cast<std::size_t>(left - place[d]) + 1];
    left -= place[d];
  }
  return device_of_band(before, tiles_.front()[static_cast<std::size_t>(level)], devices);
}

int device_of_band(std::int64_t tile, std::int64_t tiles, int devices) {
  return static_cast<int>(tile * devices / tiles);
}

}  // namespace terrace::stages
