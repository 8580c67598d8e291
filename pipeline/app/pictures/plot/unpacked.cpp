#include "pipeline/app/pictures/plot/unpacked.hpp"

#include <vector>

namespace terrace::app {
namespace {

class Unpacked : public io::Source {
 public:
  Unpacked(std::shared_ptr<io::Source> bytes, std::int64_t columns)
      : bytes_(std::move(bytes)), shape_{bytes_->shape()[0], columns} {}

  ElementType type() const override { return ElementType::u8; }
  const Extents& shape() const override { return shape_; }

  void read(const Box& box, void* buffer) override {
    const std::int64_t first = box.begin[1] / 8, end = (box.end[1] + 7) / 8, width = end - first;
    const Box part{{box.begin[0], first}, {box.end[0], end}};
    std::vector<std::uint8_t> packed(static_cast<std::size_t>(part.volume()));
    bytes_->read(part, packed.data());
    auto* bits = static_cast<std::uint8_t*>(buffer);
    for (std::int64_t row = 0; row < box.end[0] - box.begin[0]; ++row) {
      const std::uint8_t* line = packed.data() + row * width;
      for (std::int64_t j = box.begin[1]; j < box.end[1]; ++j) {
        *bits++ = static_cast<std::uint8_t>(line[j / 8 - first] >> (j % 8) & 1u);
      }
    }
  }

 private:
  std::shared_ptr<io::Source> bytes_;
  Extents shape_;
};

}  // namespace

std::shared_ptr<io::Source> unpacked(std::shared_ptr<io::Source> bytes, std::int64_t columns) {
  return std::make_shared<Unpacked>(std::move(bytes), columns);
}

}  // namespace terrace::app
