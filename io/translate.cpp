// Letters of sequences as the codes of an alphabet, translated as they are read (data_error.hpp).
#include <cstdio>

#include "io/data_error.hpp"
#include "pipeline/base/point_of.hpp"

namespace terrace::io {
namespace {

class Translated : public Source {
 public:
  Translated(std::shared_ptr<Source> source, const std::array<std::int16_t, 256>& table, DataLabel label,
             std::function<std::string(unsigned char)> fault)
      : source_(std::move(source)), table_(table), label_(std::move(label)), fault_(std::move(fault)) {}

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
    char shown[16];
    std::snprintf(shown, sizeof shown, letter >= ' ' && letter < 127 ? "'%c'" : "byte 0x%02x", letter);
    label_.fail(*source_, point_of(box, at), std::string(shown) + " " + fault_(letter));
  }

  std::shared_ptr<Source> source_;
  std::array<std::int16_t, 256> table_;
  DataLabel label_;
  std::function<std::string(unsigned char)> fault_;
};

}  // namespace

std::shared_ptr<Source> translate(std::shared_ptr<Source> source, const std::array<std::int16_t, 256>& table,
                                  DataLabel label, std::function<std::string(unsigned char)> fault) {
  if (source->type() != ElementType::u8) {
    throw JobError(label.array + ": letters are wanted (u8), but its elements are " +
                   std::string(name_of(source->type())));
  }
  return std::make_shared<Translated>(std::move(source), table, std::move(label), std::move(fault));
}

}  // namespace terrace::io
