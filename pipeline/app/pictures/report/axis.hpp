// Round numbers along axes.
#pragma once

#include <vector>

namespace terrace::app {

/// About `count` multiples of 1, 2 or 5 times a power of ten from `least` to `most`; both are finite.
std::vector<double> linear_ticks(double least, double most, int count);

}  // namespace terrace::app
