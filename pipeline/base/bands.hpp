// Pieces of an array whose elements follow one another in row-major order.
#pragma once

#include "pipeline/base/box.hpp"

namespace terrace {

/// The array cut into boxes of at most `most` elements each (and one at least), as large as they may be, so that box
/// after box holds the array's elements in row-major order: whole rows of the last dimensions.
TileGrid bands_of(const Extents& shape, std::int64_t most);

}  // namespace terrace
