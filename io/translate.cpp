#include <cstdio>
#include <string>

#include "io/source.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

class Translated : public Source {
 public:
  Translated(std::shared_ptr<Source> source, const std::array<std::int16_t, 256>& table, std::string name,
             std::string what)
      : source_(std::move(source)), table_(table), name_(std::move(name)), what_(std::move(what)) {}

  ElementType type() const override { return ElementType::u8; }
  const Extents& shape() const override { return source_->shape(); }
  std::vector<std::filesystem::path> files() const override { return source_->files(); }
  void read(const Box& box, void* buffer) override {
    source_->read(box, buffer);
    auto* letters = static_cast<unsigned char*>(buffer);
    const std::int64_t count = box.volume();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int16_t code = table_[letters[i]];
      if (code < 0) fail(box, i, letters[i]);
      letters[i] = static_cast<unsigned char>(code);
    }
  }

 private:
  [[noreturn]] void fail(const Box& box, std::int64_t at, unsigned char letter) const {
    const Extents extent = box.shape();
    std::string index;
    for (int d = box.rank() - 1; d >= 0; --d) {
      index = std::to_string(box.begin[d] + at % extent[d]) + (index.empty() ? "" : ", ") + index;
      at /= extent[d];
    }
    char shown[16];
    std::snprintf(shown, sizeof shown, letter >= ' ' && letter < 127 ? "'%c'" : "byte 0x%02x", letter);
    throw IoError(name_ + "[" + index + "]", std::string(shown) + " " + what_);
  }

  std::shared_ptr<Source> source_;
  std::array<std::int16_t, 256> table_;
  std::string name_;
  std::string what_;
};

}  // namespace

std::shared_ptr<Source> translate(std::shared_ptr<Source> source, const std::array<std::int16_t, 256>& table,
                                  std::string name, std::string what) {
  if (source->type() != ElementType::u8) {
    throw JobError(name + ": letters are wanted (u8), but its elements are " + std::string(name_of(source->type())));
  }
  return std::make_shared<Translated>(std::move(source), table, std::move(name), std::move(what));
}

}  // namespace terrace::io
