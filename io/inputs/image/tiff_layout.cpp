#include "io/inputs/image/tiff_layout.hpp"

#include <algorithm>

#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

std::optional<ElementType> element_of(std::uint16_t format, std::uint16_t bits) {
  if (format == SAMPLEFORMAT_IEEEFP) {
    if (bits == 32) return ElementType::f32;
    return bits == 64 ? std::optional(ElementType::f64) : std::nullopt;
  }
  const bool has_sign = format == SAMPLEFORMAT_INT;
  if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID && !has_sign) return std::nullopt;
  if (bits == 8) return has_sign ? ElementType::i8 : ElementType::u8;
  if (bits == 16) return has_sign ? ElementType::i16 : ElementType::u16;
  if (bits == 32) return has_sign ? ElementType::i32 : ElementType::u32;
  return std::nullopt;
}

void check_kind(const TiffFile& file) {
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;  // of a file that does not say
  TIFFGetField(file.get(), TIFFTAG_PHOTOMETRIC, &photometric);
  if (photometric != PHOTOMETRIC_MINISBLACK && photometric != PHOTOMETRIC_RGB && photometric != PHOTOMETRIC_PALETTE) {
    const char* kind = photometric == PHOTOMETRIC_MINISWHITE  ? "has inverted grays"
                       : photometric == PHOTOMETRIC_YCBCR     ? "has YCbCr colours"
                       : photometric == PHOTOMETRIC_SEPARATED ? "has CMYK colours"
                                                              : "is of a kind that is not known here";
    file.refuse(std::string(kind) + ", which are not read: convert it to gray values or RGB");
  }
  if (file.tag<std::uint16_t>(TIFFTAG_ORIENTATION) != ORIENTATION_TOPLEFT) {
    file.refuse("does not begin at its top left corner: turn it round first");
  }
  if (file.tag<std::uint32_t>(TIFFTAG_IMAGEDEPTH) > 1) file.refuse("has depth; images of two dimensions are read");
  const auto compression = file.tag<std::uint16_t>(TIFFTAG_COMPRESSION);
  if (!TIFFIsCODECConfigured(compression)) {
    file.refuse("is compressed by method " + std::to_string(compression) + ", which this libtiff does not have");
  }
}

/// The sample that is alpha; nullopt if there is none.
std::optional<int> alpha_of(const TiffFile& file, const TiffLayout& layout) {
  std::uint16_t count = 0;
  std::uint16_t* kinds = nullptr;
  if (TIFFGetField(file.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) == 0) return std::nullopt;
  for (int i = 0; i < count && count <= layout.samples; ++i) {
    if (kinds[i] == EXTRASAMPLE_ASSOCALPHA || kinds[i] == EXTRASAMPLE_UNASSALPHA) return layout.samples - count + i;
  }
  return std::nullopt;
}

}  // namespace

TiffLayout layout_of(const TiffFile& file) {
  constexpr std::int64_t strip_bytes = std::int64_t{1} << 20;
  check_kind(file);
  TIFF* tiff = file.get();
  TiffLayout layout;
  const auto bits = file.tag<std::uint16_t>(TIFFTAG_BITSPERSAMPLE);
  const auto format = file.tag<std::uint16_t>(TIFFTAG_SAMPLEFORMAT);
  const auto type = element_of(format, bits);
  if (!type) {
    file.refuse("has samples of " + std::to_string(bits) + " bits, of format " + std::to_string(format) +
                "; integers of 8, 16 and 32 bits, f32 and f64 are read");
  }
  layout.type = *type;
  layout.rows = file.tag<std::uint32_t>(TIFFTAG_IMAGELENGTH);
  layout.columns = file.tag<std::uint32_t>(TIFFTAG_IMAGEWIDTH);
  layout.samples = file.tag<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL);
  if (layout.rows == 0 || layout.columns == 0 || layout.samples == 0) file.refuse("says that it has no pixels");
  layout.apart = layout.samples > 1 && file.tag<std::uint16_t>(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
  const bool narrow = layout.type == ElementType::u8 || layout.type == ElementType::u16;
  layout.colour = file.tag<std::uint16_t>(TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_RGB && layout.samples >= 3 && narrow;
  layout.palette = file.tag<std::uint16_t>(TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_PALETTE;
  layout.tiled = TIFFIsTiled(tiff) != 0;
  if (layout.tiled) {
    layout.block_rows = file.tag<std::uint32_t>(TIFFTAG_TILELENGTH);
    layout.block_columns = file.tag<std::uint32_t>(TIFFTAG_TILEWIDTH);
    if (layout.block_rows == 0 || layout.block_columns == 0) file.refuse("says that its tiles are empty");
  } else {
    const std::int64_t said = file.tag<std::uint32_t>(TIFFTAG_ROWSPERSTRIP);
    layout.block_rows = layout.strip_rows = std::clamp<std::int64_t>(said, 1, layout.rows);
    layout.block_columns = layout.columns;
    layout.plain = file.tag<std::uint16_t>(TIFFTAG_COMPRESSION) == COMPRESSION_NONE &&
                   file.tag<std::uint16_t>(TIFFTAG_FILLORDER) == FILLORDER_MSB2LSB;
    const std::int64_t row = layout.columns * layout.joined() * layout.size();
    if (layout.plain) layout.block_rows = std::clamp<std::int64_t>(strip_bytes / row, 1, layout.strip_rows);
  }
  return layout;
}

TiffSamples choose(const TiffFile& file, const TiffLayout& layout, const Settings& settings,
                   std::optional<Channel> channel) {
  if (const auto band = settings.find<std::int64_t>("band")) {
    if (*band >= 0 && *band < layout.samples) return {static_cast<int>(*band), false};
    fail_setting(settings, "band",
                 "band: there is no band " + std::to_string(*band) + " in " + file.path() + ", which has " +
                     counted(layout.samples, "band") + ", from 0");
  }
  if (channel == Channel::index || layout.palette) {
    if (!layout.palette) refuse_channel(file.path(), Channel::index);
    if (channel == Channel::index) return {};
    throw ChannelError(file.path() +
                       " has a palette of colours: say `channel: index` to read their numbers, as of "
                       "labels, or convert it to RGB to read the colours");
  }
  if (channel == Channel::alpha) {
    const auto alpha = alpha_of(file, layout);
    if (!alpha) refuse_channel(file.path(), Channel::alpha);
    return {*alpha, false};
  }
  if (layout.samples == 1) return {};
  if (!layout.colour) {
    fail_setting(
        settings, "image",
        "image: " + file.path() + " has " + counted(layout.samples, "band") + ": say which one, as `band: 0`");
  }
  if (channel.value_or(Channel::gray) == Channel::gray) return {0, true};
  return {static_cast<int>(*channel) - static_cast<int>(Channel::red), false};
}

}  // namespace terrace::io
