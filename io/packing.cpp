#include "io/packing.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "io/packing_marks.hpp"
#include "pipeline/base/point_of.hpp"

namespace terrace::io {
namespace {

constexpr std::int64_t looked_at_once = 4096;     // elements that are looked at together
constexpr std::int64_t values_at_once = 1 << 17;  // read at a time, beyond one slice

constexpr const char* unpack_remedy =
    ": say `unpack: true` at the input to read what its elements stand for, or `unpack: false` to read them as they "
    "are stored";

class Unpacked : public Source {
 public:
  /// @param none of a reader that has an element for "no value"
  Unpacked(std::shared_ptr<Source> source, DataLabel label, bool takes_nan, std::optional<NoValue> none = {})
      : source_(std::move(source)),
        packing_(source_->packing()),
        label_(std::move(label)),
        takes_nan_(takes_nan),
        none_(none),
        type_(type_read()) {}

  ElementType type() const override { return type_; }
  const Extents& shape() const override { return source_->shape(); }
  std::vector<std::filesystem::path> files() const override { return source_->files(); }
  std::string place_of(const Extents& index) const override { return source_->place_of(index); }
  bool letters() const override { return source_->letters(); }
  bool truths() const override { return source_->truths(); }
  int results() const override { return source_->results(); }
  std::optional<ChangedDefault> changed_default() const override { return source_->changed_default(); }
  std::size_t memory() const override { return source_->memory(); }
  std::shared_ptr<const NodeNames> nodes() const override { return source_->nodes(); }
  std::shared_ptr<const std::vector<std::int64_t>> sources() const override { return source_->sources(); }
  std::shared_ptr<const ItemSet> items() const override { return source_->items(); }
  std::shared_ptr<const NodeNames> element_names() const override { return source_->element_names(); }
  std::optional<KnownRange> known_range() const override {
    std::optional<KnownRange> range = source_->known_range();
    if (!packing_->unpack) return range;
    if (!range || packing_->is_scaled() || packing_->other_sign || takes_nan_) return std::nullopt;
    range->fillers.clear();
    range->has_nan = false;
    if (none_) range->fillers = {none_->value};
    return range;
  }

  void read(const Box& box, void* buffer) override {
    if (box.empty()) return;
    dispatch(stored_type(), [&](auto from) {
      using From = decltype(from);
      if (type_ == stored_type() && !packing_->is_scaled()) return read_same(box, static_cast<From*>(buffer));
      dispatch(type_, [&](auto to) { read_as<From>(box, static_cast<decltype(to)*>(buffer)); });
    });
  }

  std::shared_ptr<Source> with(const NoValue& none) const {
    return std::make_shared<Unpacked>(source_, label_, false, none);
  }

 private:
  /// The type of elements before unpacking: with the sign that `_Unsigned` gives them, if that counts.
  ElementType stored_type() const { return packing_->unpack ? packing_->element : source_->type(); }

  ElementType type_read() const {
    if (!packing_->unpack) return source_->type();
    if (packing_->is_scaled()) return none_ ? none_->type : packing_->scaled;
    if (none_) return none_->type;
    return takes_nan_ && !is_floating(packing_->element) ? ElementType::f64 : packing_->element;
  }

  template <class T>
  Marks<T> marks() const {
    std::vector<long double> kept;
    if (none_ && !packing_->unpack) {
      kept.push_back(none_->value);
      if (none_->also) kept.push_back(*none_->also);
    }
    return {*packing_, packing_->unpack, packing_->other_sign && !packing_->unpack, kept};
  }

  /// Reads elements whose values are as they are stored.
  template <class T>
  void read_same(const Box& box, T* values) const {
    source_->read(box, values);
    const Marks<T> marked = marks<T>();
    const std::int64_t count = box.volume();
    for (std::int64_t begin = 0; marked.any() && begin < count; begin += looked_at_once) {
      const std::int64_t end = std::min(count, begin + looked_at_once);
      if (!marked.in(values + begin, end - begin)) continue;
      for (std::int64_t n = begin; n < end; ++n) {
        if (marked.has(values[n])) values[n] = missing<T>(marked, box, n, values[n]);
      }
    }
  }

  template <class From, class To>
  void read_as(const Box& box, To* to) const {
    const std::int64_t slice = box.rank() == 0 ? 1 : box.volume() / box.shape()[0];
    const std::int64_t most = std::max<std::int64_t>(1, values_at_once / slice);
    std::vector<From> values;
    const auto add = [&](const Box& part) {
      values.resize(static_cast<std::size_t>(part.volume()));
      source_->read(part, values.data());
      convert(part, values.data(), to);
      to += part.volume();
    };
    if (box.rank() == 0) return add(box);
    for (Box part = box; part.begin[0] < box.end[0]; part.begin[0] = part.end[0]) {
      part.end[0] = std::min(box.end[0], part.begin[0] + most);
      add(part);
    }
  }

  template <class From, class To>
  void convert(const Box& box, const From* from, To* to) const {
    const Marks<From> marked = marks<From>();
    const std::int64_t count = box.volume();
    for (std::int64_t begin = 0; begin < count; begin += looked_at_once) {
      const std::int64_t end = std::min(count, begin + looked_at_once);
      if (packing_->is_scaled()) {
        for (std::int64_t n = begin; n < end; ++n) {
          to[n] = static_cast<To>(static_cast<double>(from[n]) * packing_->scale + packing_->offset);
        }
      } else {
        std::transform(from + begin, from + end, to + begin, [](From value) { return static_cast<To>(value); });
      }
      if constexpr (std::is_integral_v<From> && sizeof(From) == 8 && std::is_floating_point_v<To>) {
        if (!packing_->is_scaled()) check_exact(marked, box, begin, end, from, to);
      }
      const bool after =
          (packing_->least && packing_->least->unpacked) || (packing_->most && packing_->most->unpacked);
      if (!after && !marked.in(from + begin, end - begin)) continue;
      for (std::int64_t n = begin; n < end; ++n) {
        if (marked.has(from[n]) || (after && is_outside(to[n]))) to[n] = missing<To>(marked, box, n, from[n]);
      }
    }
  }

  /// @throws DataError if an integer that is no missing one is not the real number that it has become
  template <class From, class To>
  void check_exact(const Marks<From>& marked, const Box& box, std::int64_t begin, std::int64_t end, const From* from,
                   const To* to) const {
    for (std::int64_t n = begin; n < end; ++n) {
      if (static_cast<long double>(to[n]) == static_cast<long double>(from[n]) || marked.has(from[n])) continue;
      label_.fail(*source_, point_of(box, n),
                  number_text(from[n]) + " has more digits than " + std::string(name_of(type_)) +
                      " holds, as which this stage reads integers where some may be missing: say `unpack: false` at "
                      "the input to read them as they are stored");
    }
  }

  /// True if a scaled value lies outside of the valid range.
  template <class To>
  bool is_outside(To value) const {
    const auto number = static_cast<long double>(value);
    return (packing_->least && packing_->least->unpacked && number < packing_->least->value) ||
           (packing_->most && packing_->most->unpacked && number > packing_->most->value);
  }

  /// The value that is read for element `number` of the box, which is marked. @throws DataError
  template <class To, class From>
  To missing(const Marks<From>& marked, const Box& box, std::int64_t number, From value) const {
    if (packing_->unpack && none_) return static_cast<To>(none_->value);
    if constexpr (std::is_floating_point_v<To>) {
      if (packing_->unpack && takes_nan_) return std::numeric_limits<To>::quiet_NaN();
    }
    std::string reason = marked.reason(value);
    if (!packing_->unpack) {
      const std::string meaning = reason.empty()
                                      ? "stands for " + other_sign_of(value) + " by its attribute `_Unsigned`"
                                      : "is no value, " + reason;
      label_.fail(*source_, point_of(box, number), number_text(value) + " " + meaning + unpack_remedy);
    }
    if (reason.empty() && value == value) reason = "outside of its " + bound_after_scaling();
    label_.fail(*source_, point_of(box, number),
                "is missing (" + number_text(value) + (reason.empty() ? "" : ", " + reason) +
                    "), and this stage computes with numbers alone: fill the gaps first, or say `unpack: false` at "
                    "the input to read its elements as they are stored");
  }

  std::string bound_after_scaling() const {
    return packing_->least ? packing_->least->origin : packing_->most ? packing_->most->origin : "valid range";
  }

  template <class T>
  static std::string other_sign_of(T value) {
    if constexpr (std::is_floating_point_v<T>) return number_text(value);
    else if constexpr (std::is_signed_v<T>) return std::to_string(static_cast<std::make_unsigned_t<T>>(value));
    else return std::to_string(static_cast<std::make_signed_t<T>>(value));
  }

  std::shared_ptr<Source> source_;
  std::shared_ptr<const Packing> packing_;
  DataLabel label_;
  bool takes_nan_;
  std::optional<NoValue> none_;
  ElementType type_;
};

}  // namespace

std::string text_of(const Packing& packing) {
  std::ostringstream text;
  text << std::hexfloat << name_of(packing.element) << (packing.unpack ? " unpack" : "")
       << (packing.other_sign ? " other sign" : "") << " scale " << packing.scale << " offset " << packing.offset
       << ' ' << name_of(packing.scaled);
  for (const Packing::Fill& fill : packing.fills) text << ", " << fill.value << ' ' << fill.origin;
  for (const auto& bound : {packing.least, packing.most}) {
    if (bound) text << ", " << bound->value << ' ' << bound->origin << (bound->unpacked ? " unpacked" : "");
  }
  return text.str();
}

std::shared_ptr<Source> unpacked(std::shared_ptr<Source> source, DataLabel label, bool takes_nan) {
  if (!source->packing()) return source;
  return std::make_shared<Unpacked>(std::move(source), std::move(label), takes_nan);
}

std::shared_ptr<Source> with_no_value(std::shared_ptr<Source> array, const NoValue& none) {
  const auto* packed = dynamic_cast<const Unpacked*>(array.get());
  return packed == nullptr ? array : packed->with(none);
}

}  // namespace terrace::io
