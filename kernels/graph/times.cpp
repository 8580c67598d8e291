#include "kernels/graph/times.hpp"

#include <algorithm>

namespace terrace::graph {
namespace {

/// The value of a table's column at so many bytes.
double interpolated(const std::vector<TimePoint>& points, double TimePoint::*column, double bytes) {
  const auto above = std::ranges::lower_bound(points, bytes, {}, &TimePoint::bytes);
  if (above == points.end()) return points.back().*column * bytes / points.back().bytes;
  const TimePoint below = above == points.begin() ? TimePoint{} : *(above - 1);
  const double share = (bytes - below.bytes) / (above->bytes - below.bytes);
  return below.*column + share * ((*above).*column - below.*column);
}

}  // namespace

double TimeTable::seconds(double bytes, double cached) const {
  if (bytes <= 0) return launch_seconds;
  const double share = cached / bytes;
  return launch_seconds + share * interpolated(points, &TimePoint::in_cache, bytes) +
         (1 - share) * interpolated(points, &TimePoint::from_memory, bytes);
}

TimeTable table_of_rates(double launch_seconds, double cache_bytes, double in_cache, double from_memory) {
  constexpr double bytes = 1 << 20;
  return {launch_seconds, cache_bytes, {{bytes, bytes / in_cache, bytes / from_memory}}};
}

}  // namespace terrace::graph
