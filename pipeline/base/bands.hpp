// Pieces of an array whose elements are contiguous in row-major order.
#pragma once

#include "pipeline/base/box.hpp"

namespace terrace {

/// The array cut into boxes of at most `most` elements each (and at least one), as large as possible, so that box
/// after box holds the array's elements in row-major order: whole rows of the last dimensions.
TileGrid bands_of(const Extents& shape, std::int64_t most);

}  // namespace terrace
