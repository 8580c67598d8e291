// Converts times of blocks from the clock of a device to the clock of the run.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/device/integers.hpp"

namespace terrace::run {

/// Maps nanoseconds of one device's clock to seconds of the run. A block is begun after the host has dispatched it
/// and complete before the host sees that, which bounds the difference of the two clocks from both sides; if the
/// bounds contradict each other, the clocks have drifted apart, and the last block gives the bounds.
class BlockClock {
 public:
  /// @param zero nanoseconds of the device's clock at the start of the run; 0: not known, and estimated from blocks
  explicit BlockClock(device::u64 zero) : zero_(zero), known_(zero != 0) {}

  /// Begin and end of a block's computation, in seconds of the run.
  /// @param begin, end nanoseconds of the device; 0: not reported, and the host's times are used
  /// @param dispatched, seen seconds of the run
  std::pair<double, double> span(device::u64 begin, device::u64 end, double dispatched, double seen) {
    if (begin == 0 || end < begin) return {dispatched, seen};
    if (!known_ && zero_ == 0) zero_ = begin;
    const double from = seconds(begin), until = seconds(end);
    if (known_) return {from, until};
    least_ = std::max(least_, dispatched - from);
    most_ = std::min(most_, seen - until);
    if (least_ > most_) least_ = dispatched - from, most_ = seen - until;
    return {from + least_, until + least_};
  }

 private:
  /// Subtracts before it converts: a double cannot count nanoseconds from 1970 exactly.
  double seconds(device::u64 time) const { return 1e-9 * static_cast<double>(static_cast<long long>(time - zero_)); }

  device::u64 zero_;  // 0 and not known: until the first block
  bool known_;
  double least_ = -std::numeric_limits<double>::infinity();  // bounds of the run's time at `zero_`
  double most_ = std::numeric_limits<double>::infinity();
};

}  // namespace terrace::run
