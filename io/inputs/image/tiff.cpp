#include "io/inputs/image/tiff.hpp"

#include <tiffio.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <unordered_map>

#include "io/inputs/raw_array.hpp"
#include "io/inputs/unpack_setting.hpp"
#include "io/kept_memory.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

/// An open file with the reason of its last error.
class TiffFile {
 public:
  /// @param most bytes of one allocation of the library
  TiffFile(const std::filesystem::path& path, std::int64_t most) : path_(path.string()) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                               TIFFOpenOptionsFree);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(most));
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), note_error, this);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore_warning, nullptr);
    // Without a map of the file: one that becomes shorter must not end the program.
    tiff_.reset(TIFFOpenExt(path_.c_str(), "rm", options.get()));
    if (!tiff_) fail("cannot be read as TIFF");
  }
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* get() const { return tiff_.get(); }
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(path_, what + (reason_.empty() ? "" : ": " + reason_));
  }
  /// An error about the file that the library does not report.
  [[noreturn]] void refuse(const std::string& what) const { throw IoError(path_, what); }

  template <class T>
  T tag(std::uint32_t name) const {
    T value{};
    TIFFGetFieldDefaulted(tiff_.get(), name, &value);
    return value;
  }

 private:
  static int note_error(TIFF*, void* self, const char*, const char* format, std::va_list list) {
    char text[256];
    std::vsnprintf(text, sizeof text, format, list);
    static_cast<TiffFile*>(self)->reason_ = text;
    return 1;
  }
  static int ignore_warning(TIFF*, void*, const char*, const char*, std::va_list) { return 1; }

  std::string path_, reason_;
  std::unique_ptr<TIFF, void (*)(TIFF*)> tiff_{nullptr, TIFFClose};
};

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

/// The form of the image in the file.
struct Layout {
  ElementType type = ElementType::u8;
  std::int64_t rows = 0, columns = 0;
  int samples = 1;
  bool apart = false;    // each sample in blocks of its own
  bool tiled = false;    // else strips
  bool plain = false;    // strips without compression, which are read in parts
  bool colour = false;   // red, green and blue are the first samples
  bool palette = false;  // samples are indices of its colours
  std::int64_t block_rows = 0, block_columns = 0;
  std::int64_t strip_rows = 0;  // of a strip in the file; a plain one has several blocks

  std::int64_t size() const { return static_cast<std::int64_t>(size_of(type)); }
  /// Samples that lie beside one another.
  int joined() const { return apart ? 1 : samples; }
  std::int64_t block_bytes() const { return block_rows * block_columns * joined() * size(); }
};

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

Layout layout_of(const TiffFile& file) {
  constexpr std::int64_t strip_bytes = std::int64_t{1} << 20;
  check_kind(file);
  TIFF* tiff = file.get();
  Layout layout;
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

/// The samples that make up the elements: one, or three whose luma is taken.
struct Chosen {
  int first = 0;
  bool luma = false;
};

/// The sample that is alpha; nullopt if there is none.
std::optional<int> alpha_of(const TiffFile& file, const Layout& layout) {
  std::uint16_t count = 0;
  std::uint16_t* kinds = nullptr;
  if (TIFFGetField(file.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) == 0) return std::nullopt;
  for (int i = 0; i < count && count <= layout.samples; ++i) {
    if (kinds[i] == EXTRASAMPLE_ASSOCALPHA || kinds[i] == EXTRASAMPLE_UNASSALPHA) return layout.samples - count + i;
  }
  return std::nullopt;
}

Chosen choose(const TiffFile& file, const Layout& layout, const Settings& settings, std::optional<Channel> channel) {
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

/// The packing by GDAL's value for no data, a text.
Packing packing_of(const TiffFile& file, ElementType type, std::vector<std::string>& faults) {
  constexpr std::uint32_t gdal_no_data = 42113;
  Packing packing;
  packing.element = type;
  std::uint32_t count = 0;
  const char* held = nullptr;
  if (TIFFGetField(file.get(), gdal_no_data, &count, &held) == 0 || held == nullptr) return packing;
  const std::string text(held, strnlen(held, count));
  char* end = nullptr;
  long double value = std::strtold(text.c_str(), &end);
  const bool whole = end != text.c_str() &&
                     text.find_first_not_of(" \t\n", static_cast<std::size_t>(end - text.c_str())) == text.npos;
  if (!whole) {
    faults.push_back("tag GDAL_NODATA, '" + text + "', is no number");
    return packing;
  }
  if (type == ElementType::f32) value = static_cast<long double>(static_cast<float>(value));
  if (!std::isnan(value)) packing.fills.push_back({value, "tag GDAL_NODATA"});
  return packing;
}

class TiffSource : public Source {
 public:
  TiffSource(InputFile file, std::unique_ptr<TiffFile> tiff, const Layout& layout, Chosen chosen,
             std::shared_ptr<const Packing> packing, std::size_t cache_bytes)
      : file_(std::move(file)),
        tiff_(std::move(tiff)),
        layout_(layout),
        chosen_(chosen),
        packing_(std::move(packing)),
        cache_bytes_(cache_bytes),
        shape_{layout.rows, layout.columns} {}

  ElementType type() const override { return layout_.type; }
  const Extents& shape() const override { return shape_; }
  std::vector<std::filesystem::path> files() const override { return {file_.path()}; }
  int results() const override { return results_of_packed(packing_); }
  std::optional<ChangedDefault> changed_default() const override { return changed_default_of_packed(packing_); }
  std::shared_ptr<const Packing> packing() const override { return packing_; }
  std::size_t memory() const override {
    const auto all = static_cast<std::size_t>(layout_.rows * layout_.columns * layout_.size());
    return std::min(cache_bytes_, all) + 2 * static_cast<std::size_t>(layout_.block_bytes());
  }

  void read(const Box& box, void* buffer) override {
    if (box.empty()) return;
    const std::lock_guard lock(mutex_);
    // Blocks of plain strips end with their strip.
    for (std::int64_t row = box.begin[0]; row < box.end[0];) {
      const Rows rows = rows_at(row);
      for (std::int64_t column = box.begin[1] / layout_.block_columns * layout_.block_columns; column < box.end[1];
           column += layout_.block_columns) {
        const Box block{{rows.begin, column}, {rows.end, std::min(layout_.columns, column + layout_.block_columns)}};
        Box part = block;
        for (int d = 0; d < 2; ++d) {
          part.begin[d] = std::max(part.begin[d], box.begin[d]);
          part.end[d] = std::min(part.end[d], box.end[d]);
        }
        copy_box(elements_of(block).data(), block, buffer, box, part, size_of(layout_.type));
      }
      row = rows.end;
    }
  }

 private:
  struct Rows {
    std::int64_t begin, end;
  };
  struct Kept {
    std::pair<std::int64_t, std::int64_t> at;
    std::vector<std::byte> elements;
  };

  /// The rows of the block that has a row.
  Rows rows_at(std::int64_t row) const {
    const std::int64_t unit = layout_.tiled ? layout_.block_rows : layout_.strip_rows;
    const std::int64_t first = row / unit * unit,
                       begin = first + (row - first) / layout_.block_rows * layout_.block_rows;
    return {begin, std::min({layout_.rows, first + unit, begin + layout_.block_rows})};
  }

  /// The elements of a block, from those that are kept or from the file; valid until the next call.
  const std::vector<std::byte>& elements_of(const Box& block) {
    const auto same = [&](const Kept& kept) { return kept.at == std::pair(block.begin[0], block.begin[1]); };
    auto found = std::find_if(kept_.begin(), kept_.end(), same);
    if (found == kept_.end()) {
      kept_.push_front({{block.begin[0], block.begin[1]}, decode(block)});
      kept_bytes_ += kept_.front().elements.size();
      while (kept_.size() > 1 && kept_bytes_ > cache_bytes_) {
        kept_bytes_ -= kept_.back().elements.size();
        kept_.pop_back();
      }
    } else {
      kept_.splice(kept_.begin(), kept_, found);
    }
    return kept_.front().elements;
  }

  std::vector<std::byte> decode(const Box& block) {
    const std::int64_t count = block.volume();
    std::vector<std::byte> elements(static_cast<std::size_t>(count * layout_.size()));
    if (!chosen_.luma) {
      take_sample(block, chosen_.first, elements.data(), 1, 0);
      return elements;
    }
    std::vector<std::byte> colours(3 * elements.size());
    for (int sample = 0; sample < 3; ++sample) take_sample(block, sample, colours.data(), 3, sample);
    take_channel(colours.data(), 3, layout_.type, count, Channel::gray, elements.data());
    return elements;
  }

  /// Copies one sample of all pixels of a block to every `step`th element from `first` on.
  void take_sample(const Box& block, int sample, std::byte* out, int step, int first) {
    const int plane = layout_.apart ? sample : 0, joined = layout_.joined(), at = layout_.apart ? 0 : sample;
    read_block(block, plane);
    const std::int64_t size = layout_.size(), width = layout_.block_columns;
    const Extents extent = block.shape();
    for (std::int64_t row = 0; row < extent[0]; ++row) {
      const std::byte* from = decoded_.data() + (row * width * joined + at) * size;
      std::byte* to = out + (row * extent[1] * step + first) * size;
      for (std::int64_t column = 0; column < extent[1]; ++column, from += joined * size, to += step * size) {
        std::memcpy(to, from, static_cast<std::size_t>(size));
      }
    }
  }

  /// Puts the samples of a block as the file has them into `decoded_`.
  void read_block(const Box& block, int plane) {
    if (decoded_of_ == std::tuple(block.begin[0], block.begin[1], plane)) return;
    decoded_of_.reset();
    decoded_.resize(static_cast<std::size_t>(layout_.block_bytes()));
    if (layout_.plain) read_plain(block, plane);
    else read_encoded(block, plane);
    decoded_of_ = {block.begin[0], block.begin[1], plane};
  }

  void read_plain(const Box& block, int plane) {
    const std::int64_t strip = block.begin[0] / layout_.strip_rows + plane * strips_of_plane();
    const std::int64_t row = layout_.columns * layout_.joined() * layout_.size();
    const auto offset = TIFFGetStrileOffset(tiff_->get(), static_cast<std::uint32_t>(strip));
    const auto there = TIFFGetStrileByteCount(tiff_->get(), static_cast<std::uint32_t>(strip));
    const std::int64_t before = block.begin[0] % layout_.strip_rows * row, bytes = block.shape()[0] * row;
    if (offset == 0 || offset > static_cast<std::uint64_t>(INT64_MAX / 2) ||
        there < static_cast<std::uint64_t>(before + bytes)) {
      fail(block, "is not all there");
    }
    file_.read(static_cast<std::int64_t>(offset) + before, bytes, decoded_.data());
    if (TIFFIsByteSwapped(tiff_->get()) != 0) {
      swap_bytes(decoded_.data(), bytes / layout_.size(), size_of(layout_.type));
    }
  }

  std::int64_t strips_of_plane() const { return (layout_.rows + layout_.strip_rows - 1) / layout_.strip_rows; }

  void read_encoded(const Box& block, int plane) {
    TIFF* tiff = tiff_->get();
    const auto size = static_cast<tmsize_t>(decoded_.size());
    tmsize_t got = 0;
    std::int64_t wanted = layout_.block_bytes();
    if (layout_.tiled) {
      const std::uint32_t tile =
          TIFFComputeTile(tiff, static_cast<std::uint32_t>(block.begin[1]),
                          static_cast<std::uint32_t>(block.begin[0]), 0, static_cast<std::uint16_t>(plane));
      got = TIFFReadEncodedTile(tiff, tile, decoded_.data(), size);
    } else {
      wanted = block.shape()[0] * layout_.columns * layout_.joined() * layout_.size();
      const std::int64_t strip = block.begin[0] / layout_.strip_rows + plane * strips_of_plane();
      got = TIFFReadEncodedStrip(tiff, static_cast<std::uint32_t>(strip), decoded_.data(), size);
    }
    if (got < wanted) fail(block, got < 0 ? "cannot be decoded" : "is not all there");
  }

  [[noreturn]] void fail(const Box& block, const std::string& what) const {
    tiff_->fail("the block at row " + std::to_string(block.begin[0]) + ", column " + std::to_string(block.begin[1]) +
                " " + what);
  }

  std::mutex mutex_;
  InputFile file_;
  std::unique_ptr<TiffFile> tiff_;
  Layout layout_;
  Chosen chosen_;
  std::shared_ptr<const Packing> packing_;
  std::size_t cache_bytes_, kept_bytes_ = 0;
  Extents shape_;
  std::list<Kept> kept_;  // the last used first
  std::vector<std::byte> decoded_;
  std::optional<std::tuple<std::int64_t, std::int64_t, int>> decoded_of_;
};

}  // namespace

bool is_tiff(const unsigned char* begin) {
  for (const char* magic : {"II*\0", "MM\0*", "II+\0", "MM\0+"}) {
    if (std::memcmp(begin, magic, 4) == 0) return true;
  }
  return false;
}

std::shared_ptr<Source> open_tiff(InputFile file, const Settings& settings, const OpenContext& context,
                                  std::optional<Channel> channel) {
  constexpr std::int64_t most_directory = std::int64_t{1} << 30;
  const CheckKept check_kept = kept_check(settings, "image", context);
  auto tiff = std::make_unique<TiffFile>(file.path(), most_directory);
  const Layout layout = layout_of(*tiff);
  const double bytes = static_cast<double>(layout.block_rows) * static_cast<double>(layout.block_columns) *
                       layout.joined() * static_cast<double>(layout.size());
  if (bytes > 1e15) tiff->refuse("says that its blocks are larger than any memory");
  check_kept(2 * layout.block_bytes());
  const Chosen chosen = choose(*tiff, layout, settings, channel);
  if (TIFFLastDirectory(tiff->get()) == 0 && context.warn) {
    context.warn(file.path().string() + " has several images, and the first is read");
  }
  std::vector<std::string> faults;
  Packing packing = packing_of(*tiff, layout.type, faults);
  auto asked = packing_as_asked(settings, "image", tiff->path(), {layout.rows, layout.columns}, std::move(packing),
                                faults, context);
  return std::make_shared<TiffSource>(std::move(file), std::move(tiff), layout, chosen, std::move(asked),
                                      context.cache_bytes);
}

}  // namespace terrace::io
