// The input kind `image`: decoded once and kept in memory, or, if it is a TIFF, read by blocks.
#include "io/inputs/image/image.hpp"

#include <cstring>
#include <utility>

#include "io/inputs/image/tiff.hpp"
#include "io/inputs/unpack_setting.hpp"
#include "io/kinds.hpp"
#include "io/memory_source.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

constexpr Parameter image_parameters[] = {
    {"image", ParameterKind::file,
     "a PNG, PGM or PPM of 8 or 16 bits, kept in memory, or a TIFF or BigTIFF, read by blocks"},
    {"channel", ParameterKind::choice,
     "the channel to read; gray: of a colour image its luma, and samples of gray are as they are stored, whatever "
     "their "
     "number of bits and the largest value that a PGM states; alpha: opacity; index: the numbers of the colours of a "
     "palette; left out: gray, which of a palette of colours is an error",
     "", "gray, red, green, blue, alpha, index"},
    {"band", ParameterKind::integer, "of a TIFF the band to read, from 0; needed when it has several and is no RGB",
     "", nullptr, 0},
    {"unpack", ParameterKind::flag,
     "of a TIFF what the tags of GDAL mean; true: pixels that have the value for no data (GDAL_NODATA) are missing: "
     "no "
     "edge for stages of graphs, NaN for stages with a key `nan`, which read integers as f64, and an error for all "
     "others; a scale and an offset (GDAL_METADATA) give values in f64; false: pixels are read as they are stored; "
     "left out: they are, and an error if a tag would change one",
     ""},
};

template <class Sample>
void take_samples(const std::byte* samples, int stride, std::int64_t count, Channel channel, std::byte* out) {
  const bool luma = stride == 3 && channel == Channel::gray;
  const int colour = static_cast<int>(channel) - static_cast<int>(Channel::red);
  const int first = channel == Channel::alpha ? stride - 1 : stride == 1 || luma ? 0 : colour;
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

std::optional<Channel> channel_setting(const Settings& settings) {
  constexpr std::pair<const char*, Channel> channels[] = {{"gray", Channel::gray},   {"red", Channel::red},
                                                          {"green", Channel::green}, {"blue", Channel::blue},
                                                          {"alpha", Channel::alpha}, {"index", Channel::index}};
  const auto name = settings.find<std::string>("channel");
  if (!name || name->empty()) return std::nullopt;
  for (const auto& [word, channel] : channels) {
    if (*name == word) return channel;
  }
  fail_setting(settings, "channel", "channel: '" + *name + "' is none of gray, red, green, blue, alpha, index");
}

Image decode(const InputFile& file, std::optional<Channel> channel, const CheckKept& check_kept) {
  unsigned char magic[8] = {};
  const std::int64_t got = file.read_some(0, sizeof magic, magic);
  if (got >= 2 && magic[0] == 'P' && magic[1] >= '1' && magic[1] <= '7') {
    return read_pnm(file, channel.value_or(Channel::gray), check_kept);
  }
  if (got >= 4 && std::memcmp(magic, "\x89PNG", 4) == 0) return read_png(file, channel, check_kept);
  throw IoError(file.path().string(), got == 0
                                          ? "is empty; PNG, PGM, PPM and TIFF images can be read"
                                          : "is no PNG, PGM, PPM or TIFF image: its first bytes are none of theirs");
}

class ImageSource : public MemorySource {
 public:
  ImageSource(Image image, std::filesystem::path path)
      : MemorySource(image.type, {image.rows, image.columns}, std::move(image.bytes), {std::move(path)}),
        results_(image.results) {}
  int results() const override { return results_; }

 private:
  int results_;
};

std::shared_ptr<Source> open_image(const Settings& settings, const OpenContext& context) {
  const std::optional<Channel> channel = channel_setting(settings);
  InputFile file(input_path(settings, "image", context));
  try {
    unsigned char begin[4] = {};
    if (file.read_some(0, sizeof begin, begin) == sizeof begin && is_tiff(begin)) {
      return open_tiff(std::move(file), settings, context, channel);
    }
    for (const auto& [key, what] : {std::pair("band", "bands"), std::pair("unpack", "a value for no data")}) {
      if (settings.has(key)) fail_setting(settings, key, std::string(key) + ": only images in TIFF have " + what);
    }
    return std::make_shared<ImageSource>(decode(file, channel, kept_check(settings, "image", context)), file.path());
  } catch (const ChannelError& error) {
    const char* key = channel ? "channel" : "image";
    fail_setting(settings, key, std::string(key) + ": " + error.what());
  }
}

}  // namespace

void refuse_channel(const std::string& file, Channel channel) {
  throw ChannelError(file + (channel == Channel::index ? " has no palette, of which `index` would be the numbers"
                                                       : " has no alpha channel"));
}

void take_channel(const std::byte* samples, int samples_per_pixel, ElementType type, std::int64_t count,
                  Channel channel, std::byte* out) {
  if (type == ElementType::u8) take_samples<std::uint8_t>(samples, samples_per_pixel, count, channel, out);
  else take_samples<std::uint16_t>(samples, samples_per_pixel, count, channel, out);
}

InputKind image_kind() {
  return {"image",
          "a picture, rows x columns",
          image_parameters,
          open_image,
          "{image: photo.png, channel: green}\n{image: scan.tif, band: 0, unpack: true}",
          {{"channel", "gray"}, {"unpack", earlier_unpack}}};
}

}  // namespace terrace::io
