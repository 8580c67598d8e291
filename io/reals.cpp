#include "io/reals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

/// Elements that are converted at a time.
constexpr std::int64_t chunk = 65536;

std::string shown(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

class Reals : public Source {
 public:
  Reals(std::shared_ptr<Source> source, ElementType type, double most, DataLabel label, std::string too_large,
        std::shared_ptr<RoundedElement> rounded)
      : source_(std::move(source)),
        type_(type),
        most_(most),
        label_(std::move(label)),
        too_large_(std::move(too_large)),
        rounded_(std::move(rounded)) {}

  ElementType type() const override { return type_; }
  const Extents& shape() const override { return source_->shape(); }
  std::vector<std::filesystem::path> files() const override { return source_->files(); }
  std::size_t memory() const override { return source_->memory(); }

  void read(const Box& box, void* buffer) override {
    std::vector<std::byte> part;
    for (std::int64_t begin = box.begin[0]; begin < box.end[0]; begin += chunk) {
      const Box piece{{begin}, {std::min(box.end[0], begin + chunk)}};
      part.resize(static_cast<std::size_t>(piece.volume()) * size_of(source_->type()));
      source_->read(piece, part.data());
      auto* to = static_cast<std::byte*>(buffer) + static_cast<std::size_t>(begin - box.begin[0]) * size_of(type_);
      dispatch(source_->type(),
               [&](auto sample) { convert(piece, reinterpret_cast<decltype(sample)*>(part.data()), to); });
    }
  }

 private:
  template <class From>
  void convert(const Box& piece, const From* from, void* to) const {
    if (type_ == ElementType::f32) return convert_to(piece, from, static_cast<float*>(to));
    convert_to(piece, from, static_cast<double*>(to));
  }
  template <class From, class To>
  void convert_to(const Box& piece, const From* from, To* to) const {
    if constexpr (may_lose_digits<From, To>) {
      if (rounded_) rounded_->look<To>(piece, from);
    }
    for (std::int64_t i = 0; i < piece.volume(); ++i) {
      const auto value = static_cast<double>(from[i]);
      if (!(std::abs(value) <= most_)) fail(piece.begin[0] + i, value);
      to[i] = static_cast<To>(from[i]);
    }
  }
  [[noreturn]] void fail(std::int64_t index, double value) const {
    const char* remedy = std::isnan(value) && source_->items()
                             ? "; where rows are padded with NaN, `end: nan` takes it away from their ends"
                             : "";
    const std::string what = std::isfinite(value) ? too_large_ : std::string("is no finite number") + remedy;
    label_.fail(*source_, {index}, shown(value) + " " + what);
  }

  std::shared_ptr<Source> source_;
  ElementType type_;
  double most_;
  DataLabel label_;
  std::string too_large_;
  std::shared_ptr<RoundedElement> rounded_;
};

}  // namespace

std::shared_ptr<Source> as_reals(std::shared_ptr<Source> source, ElementType type, double most, DataLabel label,
                                 std::string too_large, std::shared_ptr<RoundedElement> rounded) {
  if (!is_floating(type) || source->shape().rank() != 1) {
    throw JobError(label.array + ": a one-dimensional array is wanted, to be read as f32 or f64");
  }
  return std::make_shared<Reals>(std::move(source), type, most, std::move(label), std::move(too_large),
                                 std::move(rounded));
}

}  // namespace terrace::io
