// Distribution of the rows of a block to bands and lanes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace terrace::wavefront {

/// Rows [row, row + rows_per_lane * (last_lane + 1)) of a block.
struct BandRows {
  std::int64_t row;
  std::int64_t rows_per_lane;
  std::int64_t last_lane;

  std::int64_t count() const { return rows_per_lane * (last_lane + 1); }
};

/// Bands of lanes * most_rows_per_lane rows; the remaining rows become a band that fills all lanes with fewer rows
/// each, and a band with one row per lane in as many lanes as there are rows left. So the last row of a band is
/// always the last row of a lane.
class BandLayout {
 public:
  BandLayout(std::int64_t lanes, std::int64_t most_rows_per_lane) : lanes_(lanes), most_(most_rows_per_lane) {}

  /// Number of bands of `rows` rows; 1, without rows, if there are none.
  std::int64_t count(std::int64_t rows) const {
    const std::int64_t rest = rows % (lanes_ * most_);
    return std::max<std::int64_t>(1, rows / (lanes_ * most_) + (rest >= lanes_) + (rest % lanes_ > 0));
  }

  /// Band `index` of them.
  BandRows band(std::int64_t rows, std::int64_t index) const {
    const std::int64_t full = rows / (lanes_ * most_), rest = rows % (lanes_ * most_);
    if (index < full) return {index * lanes_ * most_, most_, lanes_ - 1};
    const std::int64_t begin = full * lanes_ * most_;
    if (index == full && rest >= lanes_) return {begin, rest / lanes_, lanes_ - 1};
    return {rows - rest % lanes_, 1, rest % lanes_ - 1};
  }

  std::int64_t lanes() const { return lanes_; }
  std::int64_t most_rows_per_lane() const { return most_; }

 private:
  std::int64_t lanes_, most_;
};

}  // namespace terrace::wavefront
