// Arrays of any size reduced to as many values as a picture has cells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/source.hpp"

namespace terrace::app {

/// The way from the values of an array to that of one cell of a picture.
enum class Reduction { mean, min, max, nearest };

/// Names of them, as options give them, in their order.
inline constexpr const char* reduction_names[] = {"mean", "min", "max", "nearest"};

/// Two of the dimensions of an array, the last two; of an array of one dimension a row.
struct Plane {
  Extents leading;  // indices in the dimensions before
  std::int64_t rows, columns;
};

/// The plane of an array of `shape` at `leading`, which has as many indices as dimensions before the last two.
Plane plane_of(const Extents& shape, const Extents& leading);

/// A plane reduced to rows x columns cells, row-major; NaN where a cell has no value.
/// Row r of the plane belongs to row r * rows / plane.rows of cells; columns likewise.
struct Raster {
  int rows = 0, columns = 0;
  std::vector<double> mean, least, most;  // with `nearest` all three are one value, from the middle of the cell
};

/// Reads the plane piece by piece and reduces it; memory does not depend on its size. Values that are not finite, or
/// equal `no_value`, do not count. With `nearest` only the rows of values that are taken are read.
/// @param rows, columns at most those of the plane
/// @param piece bytes of the plane that are in memory at a time
/// @throws IoError
Raster reduce(io::Source& source, const Plane& plane, int rows, int columns, bool nearest,
              std::optional<double> no_value, std::int64_t piece = 16 << 20);

}  // namespace terrace::app
