// Images as arrays of one channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/input_file.hpp"
#include "io/kept_memory.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

enum class Channel { gray, red, green, blue };

/// One channel of an image: rows x columns elements, u8 or u16, row-major.
struct Image {
  ElementType type = ElementType::u8;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::byte> bytes;
};

/// Decodes a PNG of any colour type and depth: fewer than 8 bits are widened to 0..255, palettes become colours, an
/// alpha channel is left out, no gamma is applied. Rows are decoded one by one, of interlaced images all at once.
/// @param check_kept is called before memory for pixels is taken
/// @throws IoError if the file is damaged or cut short
Image read_png(const InputFile& file, Channel channel, const CheckKept& check_kept);

/// Decodes PGM and PPM, ascii (P2, P3) and binary (P5, P6), of up to 16 bits. Values are not scaled to the header's
/// largest value.
/// @throws IoError if the file is damaged, cut short, or has bytes after the image
Image read_pnm(const InputFile& file, Channel channel, const CheckKept& check_kept);

/// Takes one channel out of `count` pixels of 1 (gray) or 3 (red, green, blue) samples of the type. The gray of a
/// colour is Rec. 601's luma in 16-bit fixed point, (19595 R + 38470 G + 7471 B + 32768) / 65536, as Pillow's; every
/// colour of a gray pixel is its gray.
void take_channel(const std::byte* samples, int samples_per_pixel, ElementType type, std::int64_t count,
                  Channel channel, std::byte* out);

}  // namespace terrace::io
