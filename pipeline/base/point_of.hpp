// Points of boxes by their numbers.
#pragma once

#include <cstdint>

#include "pipeline/base/box.hpp"

namespace terrace {

/// The point of number `number` in [0, volume) of a box, in row-major order.
inline Extents point_of(const Box& box, std::int64_t number) {
  Extents point = box.begin;
  for (int d = box.rank() - 1; d >= 0; --d) {
    const std::int64_t extent = box.end[d] - box.begin[d];
    point[d] += number % extent;
    number /= extent;
  }
  return point;
}

}  // namespace terrace
