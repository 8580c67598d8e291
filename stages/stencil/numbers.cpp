#include "stages/stencil/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/stencil/finite.hpp"
#include "pipeline/base/point_of.hpp"

namespace terrace::stages {
namespace {

/// A source made of another one of the same shape.
class Derived : public io::Source {
 public:
  Derived(std::shared_ptr<io::Source> source, ElementType type, io::DataLabel label)
      : source_(std::move(source)), label_(std::move(label)), type_(type) {}
  ElementType type() const override { return type_; }
  const Extents& shape() const override { return source_->shape(); }
  std::vector<std::filesystem::path> files() const override { return source_->files(); }
  std::string place_of(const Extents& index) const override { return source_->place_of(index); }
  int results() const override { return source_->results(); }
  std::size_t memory() const override { return source_->memory(); }

 protected:
  [[noreturn]] void refuse_nan(const Box& box, std::int64_t number, const char* remedy) const {
    label_.fail(*source_, point_of(box, number), std::string("is no number (NaN)") + remedy);
  }

  std::shared_ptr<io::Source> source_;
  io::DataLabel label_;

 private:
  ElementType type_;
};

class WithoutNan final : public Derived {
 public:
  WithoutNan(std::shared_ptr<io::Source> source, ElementType type, io::DataLabel label,
             std::shared_ptr<FoundInfinity> infinity)
      : Derived(std::move(source), type, std::move(label)), infinity_(std::move(infinity)) {}
  void read(const Box& box, void* buffer) override {
    source_->read(box, buffer);
    if (type() == ElementType::f32) check<float>(box, buffer);
    else check<double>(box, buffer);
  }

 private:
  template <class T>
  void check(const Box& box, const void* buffer) const {
    const T* values = static_cast<const T*>(buffer);
    const std::int64_t count = box.volume();
    constexpr std::int64_t piece = 4096;
    for (std::int64_t begin = 0; begin < count; begin += piece) {
      const std::int64_t end = std::min(count, begin + piece);
      bool any = false;
      for (std::int64_t n = begin; n < end; ++n) any |= !stencil::is_finite(values[n]);
      if (any) infinity_->note();
      for (std::int64_t n = begin; any && n < end; ++n) {
        if (std::isnan(values[n])) refuse_nan(box, n, ": say `nan: allow` to compute with it");
      }
    }
  }

  std::shared_ptr<FoundInfinity> infinity_;
};

class AsMask final : public Derived {
 public:
  using Derived::Derived;
  void read(const Box& box, void* buffer) override {
    const auto count = static_cast<std::size_t>(box.volume());
    std::vector<std::byte> elements(count * size_of(source_->type()));
    source_->read(box, elements.data());
    dispatch(source_->type(), [&](auto value) {
      using From = decltype(value);
      const From* from = reinterpret_cast<const From*>(elements.data());
      if (type() == ElementType::f32) convert(box, from, static_cast<float*>(buffer));
      else convert(box, from, static_cast<double*>(buffer));
    });
  }

 private:
  template <class From, class To>
  void convert(const Box& box, const From* from, To* to) const {
    for (std::int64_t n = 0; n < box.volume(); ++n) {
      if constexpr (std::is_floating_point_v<From>) {
        if (std::isnan(from[n])) refuse_nan(box, n, "");
      }
      to[n] = from[n] != From(0) ? To(1) : To(0);
    }
  }
};

class WithRange final : public Derived {
 public:
  WithRange(std::shared_ptr<io::Source> source, ElementType type, std::shared_ptr<ReadRange> range)
      : Derived(std::move(source), type, {}), range_(std::move(range)) {}
  void read(const Box& box, void* buffer) override {
    source_->read(box, buffer);
    if (type() == ElementType::f32) note<float>(box, buffer);
    else note<double>(box, buffer);
  }

 private:
  template <class T>
  void note(const Box& box, const void* buffer) const {
    const T* values = static_cast<const T*>(buffer);
    const std::int64_t count = box.volume();
    constexpr std::int64_t lanes = 16;  // one after another, comparisons would wait for each other
    T least[lanes], most[lanes];
    std::fill_n(least, lanes, std::numeric_limits<T>::infinity());
    std::fill_n(most, lanes, -std::numeric_limits<T>::infinity());
    const auto take = [&](T value, std::int64_t lane) {
      least[lane] = value < least[lane] ? value : least[lane];
      most[lane] = value > most[lane] ? value : most[lane];
    };
    std::int64_t n = 0;
    for (; n + lanes <= count; n += lanes) {
      for (std::int64_t lane = 0; lane < lanes; ++lane) take(values[n + lane], lane);
    }
    for (; n < count; ++n) take(values[n], 0);
    range_->note(static_cast<double>(*std::min_element(least, least + lanes)),
                 static_cast<double>(*std::max_element(most, most + lanes)));
  }

  std::shared_ptr<ReadRange> range_;
};

}  // namespace

std::shared_ptr<io::Source> without_nan(std::shared_ptr<io::Source> source, io::DataLabel label,
                                        std::shared_ptr<FoundInfinity> infinity) {
  const ElementType type = source->type();
  return std::make_shared<WithoutNan>(std::move(source), type, std::move(label), std::move(infinity));
}

std::shared_ptr<io::Source> as_mask(std::shared_ptr<io::Source> source, ElementType type, io::DataLabel label) {
  return std::make_shared<AsMask>(std::move(source), type, std::move(label));
}

std::shared_ptr<io::Source> with_range(std::shared_ptr<io::Source> source, std::shared_ptr<ReadRange> range) {
  const ElementType type = source->type();
  return std::make_shared<WithRange>(std::move(source), type, std::move(range));
}

}  // namespace terrace::stages
