// Images as arrays of one channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/input_file.hpp"
#include "io/kept_memory.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

enum class Channel { gray, red, green, blue, alpha, index };

/// One channel of an image: rows x columns elements, u8 or u16, row-major.
struct Image {
  ElementType type = ElementType::u8;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::byte> bytes;
  int results = 1;  // Source::results() of it
};

/// Decodes a PNG of any colour type and depth. Samples of gray are as they are stored, also those of fewer than 8
/// bits; no gamma is applied. A palette gives its colours, or as Channel::index the pixels' indices; its alpha, and
/// that of one transparent colour, is read as Channel::alpha. Rows are decoded one by one, of interlaced images all
/// at once.
/// @param channel nullopt: gray, if the image has no palette, or one that is a ramp of grays from dark to light
/// @param check_kept is called before memory for pixels is taken
/// @throws IoError if the file is damaged or cut short; ChannelError
Image read_png(const InputFile& file, std::optional<Channel> channel, const CheckKept& check_kept);

/// Decodes PGM and PPM, ascii (P2, P3) and binary (P5, P6), of up to 16 bits. Values are as they are stored, and not
/// scaled to the header's largest value.
/// @throws IoError if the file is damaged, cut short, or has bytes after the image; ChannelError for
/// Channel::alpha and Channel::index
Image read_pnm(const InputFile& file, Channel channel, const CheckKept& check_kept);

/// An image does not have the channel that is asked for, or does not say which one is meant.
class ChannelError : public JobError {
 public:
  using JobError::JobError;
};

/// Throws the ChannelError for an image without an alpha channel, or without a palette.
[[noreturn]] void refuse_channel(const std::string& file, Channel channel);

/// Takes one channel out of `count` pixels of 1 (gray) or 3 (red, green, blue) samples of the type, or alpha, the
/// last sample of 2 or 4. The gray of a colour is Rec. 601's luma in 16-bit fixed point, (19595 R + 38470 G + 7471 B
/// + 32768) / 65536, as Pillow's; every colour of a gray pixel is its gray.
void take_channel(const std::byte* samples, int samples_per_pixel, ElementType type, std::int64_t count,
                  Channel channel, std::byte* out);

}  // namespace terrace::io
