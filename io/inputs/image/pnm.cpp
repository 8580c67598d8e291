// PGM and PPM. Source: the pages pgm(5) and ppm(5) of Netpbm.
#include <algorithm>
#include <cctype>
#include <cstring>

#include "io/inputs/image/image.hpp"
#include "io/inputs/raw_array.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

/// Reads the bytes of a file one after another through a window in memory.
class ByteReader {
 public:
  explicit ByteReader(const InputFile& file) : file_(file) {}

  std::int64_t at() const { return at_; }
  std::int64_t left() const { return file_.size() - at_; }
  bool ended() const { return left() <= 0; }
  /// The next byte; there must be one.
  char peek() {
    if (at_ < begin_ || at_ >= begin_ + static_cast<std::int64_t>(window_.size())) load();
    return window_[static_cast<std::size_t>(at_ - begin_)];
  }
  void skip(std::int64_t bytes) { at_ += bytes; }
  void read(void* buffer, std::int64_t bytes) {
    file_.read(at_, bytes, buffer);
    at_ += bytes;
  }

 private:
  void load() {
    window_.resize(static_cast<std::size_t>(std::min(std::int64_t{1} << 18, left())));
    file_.read(at_, static_cast<std::int64_t>(window_.size()), window_.data());
    begin_ = at_;
  }

  const InputFile& file_;
  std::int64_t at_ = 0, begin_ = 0;
  std::vector<char> window_;
};

/// Decodes row by row: only one channel of the image is ever in memory as a whole.
class PnmReader {
 public:
  PnmReader(const InputFile& file, const CheckKept& check_kept)
      : file_(file), check_kept_(check_kept), bytes_(file) {}

  Image decode(Channel channel) {
    if (channel == Channel::alpha || channel == Channel::index) refuse_channel(file_.path().string(), channel);
    bytes_.skip(1);
    const char kind = bytes_.peek();
    bytes_.skip(-1);
    if (kind != '2' && kind != '3' && kind != '5' && kind != '6') {
      fail(std::string("'P") + kind + "' files cannot be read; PGM (P2, P5) and PPM (P3, P6) can");
    }
    bytes_.skip(2);
    samples_ = kind == '3' || kind == '6' ? 3 : 1;
    Image image;
    image.columns = header_number("the width", INT32_MAX);
    image.rows = header_number("the height", INT32_MAX);
    largest_ = header_number("the largest value", 65535);
    if (largest_ == 0) fail("the largest value is 0");
    image.type = largest_ < 256 ? ElementType::u8 : ElementType::u16;
    const bool binary = kind >= '5';
    check_count(image, binary);
    if (binary) begin_binary(image);
    read_rows(image, channel, binary);
    if (!binary) skip_blanks(false);
    if (!bytes_.ended()) fail("more text follows the image; one image a file can be read");
    return image;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { fail_at(bytes_.at(), what); }

  [[noreturn]] void fail_at(std::int64_t byte, const std::string& what) const {
    throw IoError(file_.path().string() + ", byte " + std::to_string(byte), what);
  }

  void skip_blanks(bool comments) {
    for (bool comment = false; !bytes_.ended(); bytes_.skip(1)) {
      const char byte = bytes_.peek();
      if (comments && byte == '#') comment = true;
      if (comment && byte == '\n') comment = false;
      if (!comment && !std::isspace(static_cast<unsigned char>(byte))) return;
    }
  }

  std::int64_t number(const std::string& what, std::int64_t most) {
    if (bytes_.ended()) fail("the file ends before " + what + "; it was cut short");
    std::int64_t value = -1;
    for (; !bytes_.ended() && bytes_.peek() >= '0' && bytes_.peek() <= '9'; bytes_.skip(1)) {
      value = std::max<std::int64_t>(value, 0) * 10 + (bytes_.peek() - '0');
      if (value > most) fail(what + " is more than " + std::to_string(most));
    }
    if (value < 0) fail(what + " is no number");
    return value;
  }

  std::int64_t header_number(const std::string& what, std::int64_t most) {
    skip_blanks(true);
    return number(what, most);
  }

  // Before anything is allocated: the file must be able to hold that many samples.
  void check_count(const Image& image, bool binary) const {
    const std::int64_t pixels = image.rows * image.columns;
    const std::int64_t least = binary ? static_cast<std::int64_t>(size_of(image.type)) : 2;
    if (pixels > 0 && pixels > bytes_.left() / (least * samples_)) {
      fail("the file ends too soon: " + counted(bytes_.left(), "byte") + " left for " + std::to_string(image.rows) +
           " x " + std::to_string(image.columns) + " pixels");
    }
    check_kept_(pixels * static_cast<std::int64_t>(size_of(image.type)));
  }

  void begin_binary(const Image& image) {
    if (bytes_.ended() || !std::isspace(static_cast<unsigned char>(bytes_.peek()))) {
      fail("a white space must follow the largest value");
    }
    bytes_.skip(1);
    const std::int64_t needed =
        image.rows * image.columns * samples_ * static_cast<std::int64_t>(size_of(image.type));
    if (bytes_.left() < needed) fail("the file ends too soon; it was cut short");
    if (bytes_.left() > needed) fail("more bytes follow the image; one image a file can be read");
  }

  void read_rows(Image& image, Channel channel, bool binary) {
    const std::int64_t row_bytes = image.columns * static_cast<std::int64_t>(size_of(image.type));
    image.bytes.resize(static_cast<std::size_t>(image.rows * row_bytes));
    if (image.bytes.empty()) return;
    std::vector<std::byte> row(static_cast<std::size_t>(row_bytes * samples_));
    for (std::int64_t y = 0; y < image.rows; ++y) {
      if (binary) binary_row(row, image);
      else ascii_row(row, image, y);
      take_channel(row.data(), samples_, image.type, image.columns, channel, image.bytes.data() + y * row_bytes);
    }
  }

  void binary_row(std::vector<std::byte>& row, const Image& image) {
    const std::int64_t count = image.columns * samples_;
    const std::int64_t begin = bytes_.at();
    bytes_.read(row.data(), static_cast<std::int64_t>(row.size()));
    swap_bytes(row.data(), count, size_of(image.type));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t value = sample(row, image.type, i);
      if (value <= largest_) continue;
      fail_at(begin + i * static_cast<std::int64_t>(size_of(image.type)),
              "a sample is " + std::to_string(value) + ", more than the header's largest value, " +
                  std::to_string(largest_));
    }
  }

  void ascii_row(std::vector<std::byte>& row, const Image& image, std::int64_t y) {
    const std::int64_t count = image.columns * samples_;
    for (std::int64_t i = 0; i < count; ++i) {
      skip_blanks(false);
      const auto value = static_cast<std::uint16_t>(number("sample " + std::to_string(y * count + i), largest_));
      if (image.type == ElementType::u8) row[static_cast<std::size_t>(i)] = static_cast<std::byte>(value);
      else std::memcpy(row.data() + 2 * i, &value, 2);
    }
  }

  static std::int64_t sample(const std::vector<std::byte>& row, ElementType type, std::int64_t index) {
    if (type == ElementType::u8) return static_cast<std::int64_t>(row[static_cast<std::size_t>(index)]);
    std::uint16_t value = 0;
    std::memcpy(&value, row.data() + 2 * index, 2);
    return value;
  }

  const InputFile& file_;
  const CheckKept& check_kept_;
  ByteReader bytes_;
  int samples_ = 1;
  std::int64_t largest_ = 0;
};

}  // namespace

Image read_pnm(const InputFile& file, Channel channel, const CheckKept& check_kept) {
  return PnmReader(file, check_kept).decode(channel);
}

}  // namespace terrace::io
