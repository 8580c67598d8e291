// PNG through libpng. Its errors leave by longjmp, so each step is a call through `guarded`, in frames that hold
// nothing with a destructor.
#include <png.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "io/inputs/image/image.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

class PngDecoder {
 public:
  PngDecoder(const InputFile& file, std::optional<Channel> channel, const CheckKept& check_kept)
      : file_(file), check_kept_(check_kept), asked_(channel), channel_(channel.value_or(Channel::gray)) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (!info_) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw IoError(file.path().string(), "libpng cannot be set up");
    }
    png_set_read_fn(png_, this, on_read);
  }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }

  Image decode() {
    Image image = read_header();
    make_room(image);
    if (passes_ == 1) read_rows(image);
    else read_interlaced(image);
    guarded([this] { png_read_end(png_, nullptr); });
    return image;
  }

 private:
  template <class Step>
  void guarded(const Step& step) {
    if (setjmp(png_jmpbuf(png_)) != 0) throw IoError(file_.path().string(), std::string("damaged PNG: ") + message_);
    step();
  }

  static void on_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngDecoder*>(png_get_error_ptr(png));
    std::snprintf(self->message_, sizeof self->message_, "%s", message);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void on_read(png_structp png, png_bytep buffer, std::size_t bytes) {
    if (!static_cast<PngDecoder*>(png_get_io_ptr(png))->read(buffer, bytes)) png_error(png, "the file ends too soon");
  }
  bool read(png_bytep buffer, std::size_t bytes) noexcept {
    try {
      const auto wanted = static_cast<std::int64_t>(bytes);
      const std::int64_t got = file_.read_some(offset_, wanted, buffer);
      offset_ += got;
      return got == wanted;
    } catch (...) {
      return false;
    }
  }

  Image read_header();
  Image sized_image() const;
  void make_room(Image& image) const;
  void check_channel() const;
  bool has_alpha() const;
  bool is_ramp() const;
  void read_rows(Image& image);
  void read_interlaced(Image& image);
  void take_row(const std::byte* row, std::int64_t index, Image& image) const;
  std::vector<std::byte> coloured(const std::byte* row, std::int64_t index, const Image& image) const;

  const InputFile& file_;
  const CheckKept& check_kept_;
  std::optional<Channel> asked_;
  Channel channel_;
  std::int64_t offset_ = 0;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int samples_ = 1;
  int passes_ = 1;
  std::size_t row_bytes_ = 0;
  png_colorp palette_ = nullptr;  // libpng's, of an image whose pixels are indices
  int colours_ = 0;
  png_bytep opacity_ = nullptr;  // libpng's, of the first entries of a palette; the others are opaque
  int opacities_ = 0;
  char message_[200] = "";
};

Image PngDecoder::read_header() {
  guarded([this] {
    png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
    png_read_info(png_, info_);
    // libpng would take an index beyond the palette for black.
    if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE) {
      if (png_get_PLTE(png_, info_, &palette_, &colours_) == 0) png_error(png_, "the palette is missing");
      png_get_tRNS(png_, info_, &opacity_, &opacities_, nullptr);
    }
    // Samples of fewer than 8 bits come as they are stored, one a byte.
    png_set_packing(png_);
    if (channel_ != Channel::alpha) png_set_strip_alpha(png_);
    else if (!palette_ && png_get_valid(png_, info_, PNG_INFO_tRNS) != 0) png_set_tRNS_to_alpha(png_);
    if constexpr (std::endian::native == std::endian::little) png_set_swap(png_);
    passes_ = png_set_interlace_handling(png_);
  });
  check_channel();
  const Image image = sized_image();
  // Here libpng allocates rows.
  guarded([this] {
    png_read_update_info(png_, info_);
    row_bytes_ = png_get_rowbytes(png_, info_);
    samples_ = png_get_channels(png_, info_);
  });
  return image;
}

/// @throws ChannelError
void PngDecoder::check_channel() const {
  const std::string path = file_.path().string();
  if (asked_ == Channel::index && !palette_) refuse_channel(path, Channel::index);
  if (asked_ == Channel::alpha && !has_alpha()) refuse_channel(path, Channel::alpha);
  if (asked_ || !palette_ || is_ramp()) return;
  throw ChannelError(path +
                     " has a palette of colours, and its pixels are their numbers: say `channel: index` to read the "
                     "numbers, as of labels, or `channel: gray`, red, green or blue to read the colours");
}

bool PngDecoder::has_alpha() const {
  if (palette_) return opacity_ != nullptr;
  return (png_get_color_type(png_, info_) & PNG_COLOR_MASK_ALPHA) != 0 ||
         png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
}

/// True if the colours of the palette are grays, each lighter than the one before it.
bool PngDecoder::is_ramp() const {
  for (int i = 0; i < colours_; ++i) {
    const png_color& colour = palette_[i];
    if (colour.red != colour.green || colour.red != colour.blue) return false;
    if (i > 0 && colour.red <= palette_[i - 1].red) return false;
  }
  return true;
}

/// The image as the header says, without pixels. @throws IoError if the file cannot hold it
Image PngDecoder::sized_image() const {
  Image image;
  image.type = png_get_bit_depth(png_, info_) == 16 ? ElementType::u16 : ElementType::u8;
  image.rows = png_get_image_height(png_, info_);
  image.columns = png_get_image_width(png_, info_);
  // Earlier versions widened grays of 1, 2 and 4 bits to 0..255.
  if (!palette_ && png_get_bit_depth(png_, info_) < 8) image.results = 2;
  // Deflate makes data at most 1032 times smaller, and a pixel has one bit at least: more is a lie about the size.
  if (image.rows > file_.size() * 1032 * 8 / image.columns) {
    throw IoError(file_.path().string(), "damaged PNG: " + std::to_string(file_.size()) + " bytes cannot hold " +
                                             std::to_string(image.rows) + " x " + std::to_string(image.columns) +
                                             " pixels");
  }
  return image;
}

void PngDecoder::make_room(Image& image) const {
  const std::int64_t bytes = image.rows * image.columns * static_cast<std::int64_t>(size_of(image.type));
  check_kept_(bytes + (passes_ == 1 ? 0 : image.rows * static_cast<std::int64_t>(row_bytes_)));
  image.bytes.resize(static_cast<std::size_t>(bytes));
}

void PngDecoder::take_row(const std::byte* row, std::int64_t index, Image& image) const {
  std::byte* out = image.bytes.data() + index * image.columns * static_cast<std::int64_t>(size_of(image.type));
  if (!palette_) return take_channel(row, samples_, image.type, image.columns, channel_, out);
  const std::vector<std::byte> colours = coloured(row, index, image);
  if (channel_ == Channel::index) {
    std::copy_n(row, image.columns, out);
  } else if (channel_ == Channel::alpha) {
    std::transform(row, row + image.columns, out, [this](std::byte entry) {
      const int number = std::to_integer<int>(entry);
      return number < opacities_ ? std::byte{opacity_[number]} : std::byte{0xff};
    });
  } else {
    take_channel(colours.data(), 3, image.type, image.columns, channel_, out);
  }
}

/// The colours of a row of indices.
std::vector<std::byte> PngDecoder::coloured(const std::byte* row, std::int64_t index, const Image& image) const {
  std::vector<std::byte> colours(static_cast<std::size_t>(image.columns) * 3);
  for (std::int64_t x = 0; x < image.columns; ++x) {
    const int entry = static_cast<int>(row[x]);
    if (entry >= colours_) {
      throw IoError(file_.path().string(), "damaged PNG: the pixel in row " + std::to_string(index) + " and column " +
                                               std::to_string(x) + " has colour " + std::to_string(entry) +
                                               ", but the palette has " + std::to_string(colours_) +
                                               (colours_ == 1 ? " colour" : " colours") + ", counted from 0");
    }
    std::memcpy(colours.data() + 3 * x, palette_ + entry, 3);
  }
  return colours;
}

void PngDecoder::read_rows(Image& image) {
  std::vector<std::byte> row(row_bytes_);
  for (std::int64_t y = 0; y < image.rows; ++y) {
    auto* bytes = reinterpret_cast<png_bytep>(row.data());
    guarded([this, bytes] { png_read_row(png_, bytes, nullptr); });
    take_row(row.data(), y, image);
  }
}

void PngDecoder::read_interlaced(Image& image) {
  std::vector<std::byte> pixels(row_bytes_ * static_cast<std::size_t>(image.rows));
  std::vector<png_bytep> rows(static_cast<std::size_t>(image.rows));
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = reinterpret_cast<png_bytep>(pixels.data()) + y * row_bytes_;
  png_bytepp all = rows.data();
  guarded([this, all] { png_read_image(png_, all); });
  for (std::int64_t y = 0; y < image.rows; ++y) {
    take_row(pixels.data() + y * static_cast<std::int64_t>(row_bytes_), y, image);
  }
}

}  // namespace

Image read_png(const InputFile& file, std::optional<Channel> channel, const CheckKept& check_kept) {
  PngDecoder decoder(file, channel, check_kept);
  return decoder.decode();
}

}  // namespace terrace::io
