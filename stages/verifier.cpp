#include "stages/verifier.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

#include "io/random.hpp"

namespace terrace::stages {
namespace {

/// A number made of a name, so that datasets of one result are not all checked at the same places.
std::int64_t number_of(const std::string& name) {
  std::uint64_t number = 0;
  for (const char letter : name) number = number * 31 + static_cast<unsigned char>(letter);
  return static_cast<std::int64_t>(number >> 1);
}

std::string shortened(std::string text) {
  constexpr std::size_t longest = 60;
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

}  // namespace

std::vector<std::int64_t> Sampler::pick(const std::string& dataset, std::int64_t count) const {
  const double wanted = std::ceil(fraction_ * static_cast<double>(count));
  std::vector<std::int64_t> parts;
  if (takes_all() || wanted >= static_cast<double>(count)) {
    parts.resize(static_cast<std::size_t>(count));
    std::iota(parts.begin(), parts.end(), 0);
    return parts;
  }
  // Floyd's sample without repetition (Bentley, Floyd: A sample of brilliance, 1987).
  const io::Random random(seed_ ^ number_of(dataset), io::RandomStream::values);
  std::set<std::int64_t> chosen;
  for (std::int64_t last = count - static_cast<std::int64_t>(wanted); last < count; ++last) {
    const auto part = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last) + 1, last));
    if (!chosen.insert(part).second) chosen.insert(last);
  }
  parts.assign(chosen.begin(), chosen.end());
  return parts;
}

std::int64_t Sampler::place(const std::string& dataset, std::int64_t part, std::int64_t count) const {
  const io::Random random(seed_ ^ number_of(dataset), io::RandomStream::events);
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count), part));
}

template <class T>
std::string text_of(T value) {
  std::array<char, 64> text{};
  const auto written = [&] {
    if constexpr (std::is_integral_v<T>) {
      return std::to_chars(text.data(), text.data() + text.size(), static_cast<long long>(value));
    } else {
      return std::to_chars(text.data(), text.data() + text.size(), value);
    }
  }();
  return {text.data(), written.ptr};
}

template std::string text_of(std::uint8_t);
template std::string text_of(std::int8_t);
template std::string text_of(std::uint16_t);
template std::string text_of(std::int16_t);
template std::string text_of(std::uint32_t);
template std::string text_of(std::int32_t);
template std::string text_of(std::uint64_t);
template std::string text_of(std::int64_t);
template std::string text_of(long long);
template std::string text_of(float);
template std::string text_of(double);

std::string difference_at(const Extents& point, const std::string& stored, const std::string& computed) {
  static constexpr std::array<const char*, 3> names = {"layer", "row", "column"};
  std::string where;
  for (int d = 0; d < point.rank(); ++d) {
    const int name = std::clamp(d + 3 - point.rank(), 0, 2);
    where += (d == 0 ? "" : ", ") +
             std::string(point.rank() == 1 ? "element" : names[static_cast<std::size_t>(name)]) + " " +
             std::to_string(point[d]);
  }
  return where + (where.empty() ? "" : ": ") + stored + " is stored, " + computed + " was computed";
}

std::shared_ptr<io::Source> open_dataset(const VerifyRequest& request, const std::string& name,
                                         const Extents& shape) {
  std::shared_ptr<io::Source> source = request.dataset(name);
  if (source->shape() == shape) return source;
  throw WrongDataset(name, "is " + to_string(source->shape()) + ", and the inputs give " + to_string(shape));
}

std::shared_ptr<io::Source> open_dataset(const VerifyRequest& request, const std::string& name, const Extents& shape,
                                         ElementType type) {
  std::shared_ptr<io::Source> source = open_dataset(request, name, shape);
  if (source->type() == type) return source;
  throw WrongDataset(name,
                     "is of " + std::string(name_of(source->type())) + ", not of " + std::string(name_of(type)));
}

Checked check_parts(const VerifyRequest& request, const std::string& datasets, const Parts& parts,
                    const std::function<std::string(std::int64_t part)>& check) {
  std::vector<std::int64_t> picked =
      request.sampler.pick(request.request.stage.name + "/" + parts.dataset, parts.count);
  if (parts.also && !std::binary_search(picked.begin(), picked.end(), *parts.also)) {
    picked.insert(std::upper_bound(picked.begin(), picked.end(), *parts.also), *parts.also);
  }
  const std::string count = std::to_string(picked.size()) + " of " + std::to_string(parts.count);
  Checked checked{datasets, count + " " + parts.name + " computed again", "", true};
  for (std::size_t at = 0; at < picked.size() && checked.difference.empty(); ++at) {
    if (request.advance) request.advance(static_cast<std::int64_t>(at), std::ssize(picked));
    checked.difference = check(picked[at]);
  }
  return checked;
}

Checked check_texts(const VerifyRequest& request, const std::string& name, const std::vector<std::string>& expected,
                    const std::string& what) {
  Checked checked{name, what, "", true};
  const std::vector<std::string> stored = request.texts(name);
  if (stored.size() != expected.size()) {
    checked.difference =
        std::to_string(stored.size()) + " values are stored, " + std::to_string(expected.size()) + " were computed";
    return checked;
  }
  const auto [at, other] = std::mismatch(stored.begin(), stored.end(), expected.begin());
  if (at == stored.end()) return checked;
  const Extents point = expected.size() == 1 ? Extents{} : Extents{at - stored.begin()};
  checked.difference = difference_at(point, shortened(*at), shortened(*other));
  return checked;
}

}  // namespace terrace::stages
