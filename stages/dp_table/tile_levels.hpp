// The tiles of a table by levels, of which the tiles of one are dealt to several devices.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/dp_table/table.hpp"

namespace terrace::stages {

/// The level of a tile is the sum of its places: its indices of the dimensions that are cut into single ones, and the
/// number of its range. A tile reads tiles of lower levels alone. Those of a level are dealt in row-major order in
/// parts of equal size, so that a device has much of what it reads.
class TileLevels {
 public:
  explicit TileLevels(const dp_table::Table& table);

  std::int64_t count() const { return static_cast<std::int64_t>(tiles_.front().size()); }
  /// Tiles of the largest level.
  std::int64_t widest() const;
  /// Tiles of the device that has most, of level after level.
  std::int64_t rounds(std::int64_t devices) const;
  int device(std::int64_t tile, int devices) const;

 private:
  std::vector<std::int64_t> extents_;  // of places
  // tiles_[d][s]: index vectors of the places from d on with the sum s; sums_[d][s]: of those with a sum below s.
  std::vector<std::vector<std::int64_t>> tiles_, sums_;
};

/// The device of a tile of `tiles`, which are dealt in parts of tiles that follow one another.
int device_of_band(std::int64_t tile, std::int64_t tiles, int devices);

}  // namespace terrace::stages
