#include "stages/numbers_read.hpp"

#include <cmath>
#include <optional>
#include <type_traits>

#include "stages/refuse.hpp"
#include "stages/verifier.hpp"
#include "stages/watched_read.hpp"

namespace terrace::stages {
namespace {

/// The fault of an element that is no whole number of i64 and at least `least`; empty if it is one.
template <class T>
std::string fault_of(T value, std::int64_t least) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "is no number (NaN)";
    if (value != std::floor(value)) return "is no whole number";
  }
  if constexpr (std::is_signed_v<T>) {
    if (value < 0 && least == 0) return "is negative";
  }
  if (static_cast<long double>(value) < static_cast<long double>(least))
    return "is less than " + std::to_string(least);
  return static_cast<long double>(value) >= 0x1p63L ? "is more than 2^63 - 1" : "";
}

/// Calls take(value) for each element; what it returns, if that is not empty, is the element's fault.
template <class Take>
void read_each(const Request& request, const std::string& parameter, io::Source& source, const Take& take) {
  refuse_letters(request, parameter, source);
  const io::DataLabel label = label_of(request.stage, parameter);
  read_values(request.stage, parameter, [&] {
    dispatch(source.type(), [&](auto zero) {
      std::vector<decltype(zero)> values(static_cast<std::size_t>(volume(source.shape())));
      if (!values.empty()) read_watched(source, values.data(), label.array, request.watch);
      for (std::size_t n = 0; n < values.size(); ++n) {
        const std::string fault = take(values[n]);
        if (!fault.empty()) label.fail(source, index_of_element(source.shape(), static_cast<std::int64_t>(n)), fault);
      }
    });
  });
}

}  // namespace

Extents index_of_element(const Extents& shape, std::int64_t number) {
  Extents index = shape;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    index[d] = number % shape[d];
    number /= shape[d];
  }
  return index;
}

std::vector<std::int64_t> read_whole_numbers(const Request& request, const std::string& parameter, io::Source& source,
                                             std::int64_t least) {
  const std::string remedy = least == 0 ? "; give whole numbers that are not negative"
                                        : "; give whole numbers of at least " + std::to_string(least);
  std::vector<std::int64_t> numbers;
  read_each(request, parameter, source, [&](auto value) {
    const std::string fault = fault_of(value, least);
    if (fault.empty()) numbers.push_back(static_cast<std::int64_t>(value));
    return fault.empty() ? fault : fault + remedy;
  });
  return numbers;
}

std::vector<std::string> read_numbers_as_text(const Request& request, const std::string& parameter,
                                              io::Source& source) {
  std::vector<std::string> texts;
  read_each(request, parameter, source, [&](auto value) -> std::string {
    if constexpr (std::is_floating_point_v<decltype(value)>) {
      if (!std::isfinite(value)) return "is not finite; give finite numbers";
      texts.push_back(text_of(static_cast<double>(value)));
    } else {
      texts.push_back(text_of(value));
    }
    return "";
  });
  return texts;
}

}  // namespace terrace::stages
