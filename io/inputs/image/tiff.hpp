// TIFF and BigTIFF, read by blocks.
#pragma once

#include <memory>

#include "io/inputs/image/image.hpp"
#include "io/source.hpp"

namespace terrace::io {

/// True if a file begins as TIFF or BigTIFF does, of either byte order. @param begin at least 4 bytes
bool is_tiff(const unsigned char* begin);

/// One band of the first image of a TIFF or BigTIFF file, in tiles or strips, of integers of 8, 16 and 32 bits, f32
/// or f64. Blocks are decoded when they are read, as many as context.cache_bytes are kept; strips that are not
/// compressed are read in parts. Colour images (RGB, 8 and 16 bits) give a channel as other images do; of others with
/// several bands the setting `band` chooses one. Of palettes the indices are read, as Channel::index. Inverted grays,
/// YCbCr, CMYK, complex numbers, other depths and other orientations than top left are refused. GDAL's value for no
/// data is the source's packing(), as the setting `unpack` asks for it.
/// @param channel nullopt: gray
/// @throws IoError, JobError
std::shared_ptr<Source> open_tiff(InputFile file, const Settings& settings, const OpenContext& context,
                                  std::optional<Channel> channel);

}  // namespace terrace::io
