// The meaning of a TIFF's samples by the tags that GDAL writes.
#pragma once

#include <string>
#include <vector>

#include "io/inputs/image/tiff_file.hpp"
#include "io/packing.hpp"

namespace terrace::io {

/// The packing of one band by the tags GDAL_NODATA (42113) and GDAL_METADATA (42112, XML with a scale and an offset
/// of bands). @param type of its samples @param band from 0 @param faults tags that cannot be understood are added
Packing gdal_packing(const TiffFile& file, ElementType type, int band, std::vector<std::string>& faults);

}  // namespace terrace::io
