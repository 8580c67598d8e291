// The input kind `image`: decoded once and kept in memory, or, if it is a TIFF, read by blocks.
#include "io/inputs/image/image.hpp"

#include <cstring>

#include "io/inputs/image/tiff.hpp"
#include "io/kinds.hpp"
#include "io/memory_source.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

constexpr Parameter image_parameters[] = {
    {"image", ParameterKind::file,
     "a PNG, PGM or PPM of 8 or 16 bits, kept in memory, or a TIFF or BigTIFF, read by blocks"},
    {"channel", ParameterKind::choice, "the channel to read; gray is the luma of a colour image", "gray",
     "gray, red, green, blue"},
    {"band", ParameterKind::integer, "of a TIFF the band to read, from 0; needed when it has several and is no RGB",
     "", nullptr, 0},
};

template <class Sample>
void take_samples(const std::byte* samples, int stride, std::int64_t count, Channel channel, std::byte* out) {
  const bool luma = stride == 3 && channel == Channel::gray;
  const int first = stride == 1 || luma ? 0 : static_cast<int>(channel) - static_cast<int>(Channel::red);
  for (std::int64_t i = 0; i < count; ++i) {
    Sample pixel[3] = {};
    const std::byte* at = samples + (i * stride + first) * static_cast<std::int64_t>(sizeof(Sample));
    std::memcpy(pixel, at, luma ? sizeof pixel : sizeof(Sample));
    if (luma) {
      pixel[0] = static_cast<Sample>((pixel[0] * 19595u + pixel[1] * 38470u + pixel[2] * 7471u + 0x8000u) >> 16);
    }
    std::memcpy(out + i * static_cast<std::int64_t>(sizeof(Sample)), pixel, sizeof(Sample));
  }
}

Channel channel_setting(const Settings& settings) {
  const std::string name = settings.find<std::string>("channel").value_or("gray");
  if (name == "gray") return Channel::gray;
  if (name == "red") return Channel::red;
  if (name == "green") return Channel::green;
  if (name == "blue") return Channel::blue;
  fail_setting(settings, "channel", "channel: '" + name + "' is none of gray, red, green, blue");
}

Image decode(const InputFile& file, Channel channel, const CheckKept& check_kept) {
  unsigned char magic[8] = {};
  const std::int64_t got = file.read_some(0, sizeof magic, magic);
  if (got >= 2 && magic[0] == 'P' && magic[1] >= '1' && magic[1] <= '7') return read_pnm(file, channel, check_kept);
  if (got >= 4 && std::memcmp(magic, "\x89PNG", 4) == 0) return read_png(file, channel, check_kept);
  throw IoError(file.path().string(), got == 0
                                          ? "is empty; PNG, PGM, PPM and TIFF images can be read"
                                          : "is no PNG, PGM, PPM or TIFF image: its first bytes are none of theirs");
}

std::shared_ptr<Source> open_image(const Settings& settings, const OpenContext& context) {
  const Channel channel = channel_setting(settings);
  InputFile file(input_path(settings, "image", context));
  unsigned char begin[4] = {};
  if (file.read_some(0, sizeof begin, begin) == sizeof begin && is_tiff(begin)) {
    return open_tiff(std::move(file), settings, context, channel);
  }
  if (settings.has("band")) fail_setting(settings, "band", "band: only images in TIFF have bands");
  Image image = decode(file, channel, kept_check(settings, "image", context));
  return std::make_shared<MemorySource>(image.type, Extents{image.rows, image.columns}, std::move(image.bytes),
                                        std::vector{file.path()});
}

}  // namespace

void take_channel(const std::byte* samples, int samples_per_pixel, ElementType type, std::int64_t count,
                  Channel channel, std::byte* out) {
  if (type == ElementType::u8) take_samples<std::uint8_t>(samples, samples_per_pixel, count, channel, out);
  else take_samples<std::uint16_t>(samples, samples_per_pixel, count, channel, out);
}

InputKind image_kind() {
  return {"image", "a picture, rows x columns", image_parameters, open_image,
          "{image: photo.png, channel: green}\n{image: scan.tif, band: 0}"};
}

}  // namespace terrace::io
