// Tables of the time that a launch takes on a device, by the bytes that it touches.
#pragma once

#include <vector>

namespace terrace::graph {

/// Seconds of a launch that touches so many bytes, in addition to TimeTable::launch_seconds.
struct TimePoint {
  double bytes = 0;
  double in_cache = 0;     // if all of them are in the cache
  double from_memory = 0;  // if none is

  friend bool operator==(const TimePoint&, const TimePoint&) = default;
};

/// The performance tables of KTILER (Maghazeh et al., "Cache-Aware Kernel Tiling", section IV-C) as one: bytes stand
/// for the grid size, and the share of them in the cache for the inputs that tiling provides.
struct TimeTable {
  double launch_seconds = 0;
  double cache_bytes = 0;         // of the L2 cache, that sub-kernels may fill
  std::vector<TimePoint> points;  // ascending, at least one

  /// Interpolated between points, and from 0 and in proportion beyond them. @param cached of the bytes
  double seconds(double bytes, double cached) const;

  friend bool operator==(const TimeTable&, const TimeTable&) = default;
};

/// A table of rates in bytes a second.
TimeTable table_of_rates(double launch_seconds, double cache_bytes, double in_cache, double from_memory);

}  // namespace terrace::graph
