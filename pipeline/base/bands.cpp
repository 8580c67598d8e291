#include "pipeline/base/bands.hpp"

#include <algorithm>

namespace terrace {

TileGrid bands_of(const Extents& shape, std::int64_t most) {
  Extents band = Extents::filled(shape.rank(), 1);
  for (int d = shape.rank() - 1; d >= 0; --d) {
    band[d] = std::max<std::int64_t>(1, std::min(shape[d], most));
    if (band[d] < shape[d]) break;
    most /= band[d];
  }
  return {shape, band};
}

}  // namespace terrace
