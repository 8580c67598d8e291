#include "io/truths.hpp"

#include <cstring>
#include <utility>
#include <vector>

namespace terrace::io {
namespace {

class NumbersOfTruths : public Source {
 public:
  explicit NumbersOfTruths(std::shared_ptr<Source> truths) : truths_(std::move(truths)) {}

  ElementType type() const override { return ElementType::f32; }
  const Extents& shape() const override { return truths_->shape(); }
  void read(const Box& box, void* buffer) override {
    // The truth values lie at the end of the buffer until they are numbers, from the front on.
    const auto count = static_cast<std::size_t>(box.volume());
    auto* to = static_cast<std::byte*>(buffer);
    const std::byte* from = to + count * (sizeof(float) - 1);
    truths_->read(box, to + count * (sizeof(float) - 1));
    for (std::size_t n = 0; n < count; ++n) {
      const float number = from[n] != std::byte{0} ? 1.0f : 0.0f;
      std::memcpy(to + n * sizeof number, &number, sizeof number);
    }
  }
  std::vector<std::filesystem::path> files() const override { return truths_->files(); }
  std::string place_of(const Extents& index) const override { return truths_->place_of(index); }
  int results() const override { return truths_->results(); }
  std::optional<ChangedDefault> changed_default() const override { return truths_->changed_default(); }
  std::size_t memory() const override { return truths_->memory(); }

 private:
  std::shared_ptr<Source> truths_;
};

}  // namespace

std::shared_ptr<Source> numbers_of_truths(std::shared_ptr<Source> source) {
  if (!source->truths() || size_of(source->type()) != 1) return source;
  return std::make_shared<NumbersOfTruths>(std::move(source));
}

}  // namespace terrace::io
