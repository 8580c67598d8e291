#include "io/convert.hpp"

#include <algorithm>
#include <vector>

namespace terrace::io {
namespace {

class Converted : public Source {
 public:
  Converted(std::shared_ptr<Source> source, ElementType type, std::shared_ptr<RoundedElement> rounded)
      : source_(std::move(source)), type_(type), rounded_(std::move(rounded)) {}

  ElementType type() const override { return type_; }
  const Extents& shape() const override { return source_->shape(); }
  std::vector<std::filesystem::path> files() const override { return source_->files(); }
  std::size_t memory() const override { return source_->memory(); }
  void read(const Box& box, void* buffer) override {
    if (box.empty()) return;
    const std::int64_t slice = box.volume() / box.shape()[0];
    const std::int64_t most = std::max<std::int64_t>(1, most_values / slice);
    auto* to = static_cast<std::byte*>(buffer);
    for (Box part = box; part.begin[0] < box.end[0]; part.begin[0] = part.end[0]) {
      part.end[0] = std::min(box.end[0], part.begin[0] + most);
      read_part(part, to);
      to += static_cast<std::size_t>(part.volume()) * size_of(type_);
    }
  }

 private:
  static constexpr std::int64_t most_values = 1 << 17;  // read at a time, beyond one slice

  void read_part(const Box& part, std::byte* to) const {
    const std::int64_t count = part.volume();
    dispatch(source_->type(), [&](auto from) {
      std::vector<decltype(from)> values(static_cast<std::size_t>(count));
      source_->read(part, values.data());
      dispatch(type_, [&](auto zero) {
        using Target = decltype(zero);
        if constexpr (may_lose_digits<decltype(from), Target>) {
          if (rounded_) rounded_->look<Target>(part, values.data());
        }
        std::transform(values.begin(), values.end(), reinterpret_cast<Target*>(to),
                       [](auto value) { return static_cast<Target>(value); });
      });
    });
  }

  std::shared_ptr<Source> source_;
  ElementType type_;
  std::shared_ptr<RoundedElement> rounded_;
};

}  // namespace

std::shared_ptr<Source> convert(std::shared_ptr<Source> source, ElementType type,
                                std::shared_ptr<RoundedElement> rounded) {
  if (source->type() == type) return source;
  return std::make_shared<Converted>(std::move(source), type, std::move(rounded));
}

}  // namespace terrace::io
