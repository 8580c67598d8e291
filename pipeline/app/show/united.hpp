// Time during which something happened.
#pragma once

#include <utility>
#include <vector>

namespace terrace::app {

/// Begin and end, in seconds.
using Intervals = std::vector<std::pair<double, double>>;

/// Seconds during which at least one of the intervals lasts.
double united(Intervals intervals);

}  // namespace terrace::app
