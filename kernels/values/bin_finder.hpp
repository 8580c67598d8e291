// The bins of many values on the host.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/values/bins.hpp"

namespace terrace::values {

/// Finds bins as Bins::bin() does, without a division a value.
class BinFinder {
 public:
  explicit BinFinder(const Bins& bins)
      : bins_(bins), per_bin_(static_cast<double>(bins.bins) / (bins.high - bins.low)) {
    for (device::i64 number = 0; number <= bins.bins; ++number) edges_.push_back(bins.edge(number));
  }

  /// The bin of a value; -1: none.
  device::i64 operator()(double value) const {
    if (!(value >= bins_.low && value <= bins_.high)) return -1;
    device::i64 bin =
        std::clamp<device::i64>(static_cast<device::i64>((value - bins_.low) * per_bin_), 0, bins_.bins - 1);
    while (value < edges_[static_cast<std::size_t>(bin)]) --bin;
    while (bin + 1 < bins_.bins && value >= edges_[static_cast<std::size_t>(bin) + 1]) ++bin;
    return bin;
  }

 private:
  Bins bins_;
  std::vector<double> edges_;  // of all bins, and the upper end of the last
  double per_bin_;
};

}  // namespace terrace::values
