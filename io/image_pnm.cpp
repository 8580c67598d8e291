// PGM and PPM. Source: the pages pgm(5) and ppm(5) of Netpbm.
#include <cctype>
#include <cstring>

#include "io/image.hpp"
#include "io/raw_array.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

class PnmReader {
 public:
  explicit PnmReader(const InputFile& file) : file_(file), text_(static_cast<std::size_t>(file.size()), '\0') {
    file_.read(0, file_.size(), text_.data());
  }

  Image decode(Channel channel) {
    const char kind = text_[1];
    if (kind != '2' && kind != '3' && kind != '5' && kind != '6') {
      fail(std::string("'P") + kind + "' files cannot be read; PGM (P2, P5) and PPM (P3, P6) can");
    }
    at_ = 2;
    samples_ = kind == '3' || kind == '6' ? 3 : 1;
    Image image;
    image.columns = header_number("the width", INT32_MAX);
    image.rows = header_number("the height", INT32_MAX);
    largest_ = header_number("the largest value", 65535);
    if (largest_ == 0) fail("the largest value is 0");
    image.type = largest_ < 256 ? ElementType::u8 : ElementType::u16;
    const std::int64_t count = check_count(image, kind >= '5');
    const std::vector<std::byte> samples = kind >= '5' ? binary(image.type, count) : ascii(image.type, count);
    image.bytes.resize(static_cast<std::size_t>(image.rows * image.columns) * size_of(image.type));
    take_channel(samples.data(), samples_, image.type, image.rows * image.columns, channel, image.bytes.data());
    return image;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(file_.path().string() + ", byte " + std::to_string(at_), what);
  }

  void skip_blanks(bool comments) {
    while (at_ < text_.size()) {
      if (comments && text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      else if (std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      else break;
    }
  }

  std::int64_t number(const std::string& what, std::int64_t most) {
    if (at_ == text_.size()) fail("the file ends before " + what + "; it was cut short");
    std::int64_t value = -1;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      value = std::max<std::int64_t>(value, 0) * 10 + (text_[at_] - '0');
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
  std::int64_t check_count(const Image& image, bool binary) const {
    const std::int64_t pixels = image.rows * image.columns;
    const auto left = static_cast<std::int64_t>(text_.size() - at_);
    const std::int64_t least = binary ? static_cast<std::int64_t>(size_of(image.type)) : 2;
    if (pixels > 0 && pixels > left / (least * samples_)) {
      fail("the file ends too soon: " + std::to_string(left) + " bytes are left for " + std::to_string(image.rows) +
           " x " + std::to_string(image.columns) + " pixels");
    }
    return pixels * samples_;
  }

  std::vector<std::byte> binary(ElementType type, std::int64_t count) {
    if (at_ == text_.size() || !std::isspace(static_cast<unsigned char>(text_[at_]))) {
      fail("a white space must follow the largest value");
    }
    ++at_;
    const std::size_t bytes = static_cast<std::size_t>(count) * size_of(type);
    if (text_.size() - at_ < bytes) fail("the file ends too soon; it was cut short");
    if (text_.size() - at_ > bytes) fail("more bytes follow the image; one image a file can be read");
    std::vector<std::byte> samples(bytes);
    if (bytes > 0) std::memcpy(samples.data(), text_.data() + at_, bytes);
    swap_bytes(samples.data(), count, size_of(type));
    for (std::int64_t i = 0; i < count; ++i) check_sample(sample(samples, type, i));
    return samples;
  }

  std::vector<std::byte> ascii(ElementType type, std::int64_t count) {
    std::vector<std::byte> samples(static_cast<std::size_t>(count) * size_of(type));
    for (std::int64_t i = 0; i < count; ++i) {
      skip_blanks(false);
      const auto value = static_cast<std::uint16_t>(number("sample " + std::to_string(i), largest_));
      if (type == ElementType::u8) samples[static_cast<std::size_t>(i)] = static_cast<std::byte>(value);
      else std::memcpy(samples.data() + 2 * i, &value, 2);
    }
    skip_blanks(false);
    if (at_ != text_.size()) fail("more text follows the image; one image a file can be read");
    return samples;
  }

  static std::int64_t sample(const std::vector<std::byte>& samples, ElementType type, std::int64_t index) {
    if (type == ElementType::u8) return static_cast<std::int64_t>(samples[static_cast<std::size_t>(index)]);
    std::uint16_t value = 0;
    std::memcpy(&value, samples.data() + 2 * index, 2);
    return value;
  }

  void check_sample(std::int64_t value) const {
    if (value <= largest_) return;
    fail("a sample is " + std::to_string(value) + ", more than the header's largest value, " +
         std::to_string(largest_));
  }

  const InputFile& file_;
  std::string text_;
  std::size_t at_ = 0;
  int samples_ = 1;
  std::int64_t largest_ = 0;
};

}  // namespace

Image read_pnm(const InputFile& file, Channel channel) { return PnmReader(file).decode(channel); }

}  // namespace terrace::io
