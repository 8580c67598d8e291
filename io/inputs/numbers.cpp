#include "io/inputs/numbers.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

enum class Outcome { fine, no_number, out_of_range, not_whole };

template <class T>
Outcome parse_exactly(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return Outcome::no_number;
  return error == std::errc{} ? Outcome::fine : Outcome::out_of_range;
}

// from_chars takes no plus sign, and "nan(...)" is no number that people write.
std::string_view without_plus(std::string_view text) {
  return text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
}

template <class Real>
Outcome parse_real(std::string_view text, Real& value) {
  if (text.find('(') != text.npos) return Outcome::no_number;
  const Outcome outcome = parse_exactly(text, value);
  if (outcome != Outcome::out_of_range) return outcome;
  // Too near to zero is fine: it rounds to zero or to the least number there is.
  const double rounded = std::strtod(std::string(text).c_str(), nullptr);
  if (std::abs(rounded) > 1) return outcome;
  value = static_cast<Real>(rounded);
  return Outcome::fine;
}

template <class T>
Outcome parse_integer(std::string_view text, T& value) {
  const Outcome digits = parse_exactly(text, value);
  if (digits != Outcome::no_number) return digits;
  double real = 0;
  const Outcome outcome = parse_real(text, real);
  if (outcome != Outcome::fine) return outcome;
  // The type's limits are powers of two, or one less: exact as doubles or above the limit by one.
  if (!(real >= static_cast<double>(std::numeric_limits<T>::min()))) return Outcome::out_of_range;
  if (!(real < std::ldexp(1.0, std::numeric_limits<T>::digits))) return Outcome::out_of_range;
  if (real != std::floor(real)) return Outcome::not_whole;
  value = static_cast<T>(real);
  return Outcome::fine;
}

template <class T>
Outcome parse_as(std::string_view text, T& value) {
  if constexpr (std::is_integral_v<T>) {
    return parse_integer(text, value);
  } else {
    return parse_real(text, value);
  }
}

std::optional<std::string> explain(Outcome outcome, std::string_view text, ElementType type) {
  switch (outcome) {
    case Outcome::fine:
      return std::nullopt;
    case Outcome::no_number:
      return text.empty() ? "a number is missing" : quote(text) + " is no number";
    case Outcome::out_of_range:
      return quote(text) + " does not fit " + std::string(name_of(type));
    case Outcome::not_whole:
      break;
  }
  return quote(text) + " is not whole, as " + std::string(name_of(type)) + " wants it";
}

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

}  // namespace

std::optional<std::string> NumberList::add(std::string_view text) {
  return wanted_ ? add_wanted(without_plus(text)) : add_any(without_plus(text));
}

std::optional<std::string> NumberList::add_wanted(std::string_view text) {
  return dispatch(*wanted_, [&](auto value) {
    const Outcome outcome = parse_as(text, value);
    if (outcome == Outcome::fine) append(bytes_, value);
    return explain(outcome, text, *wanted_);
  });
}

std::optional<std::string> NumberList::add_any(std::string_view text) {
  std::int64_t whole = 0;
  const Outcome digits = parse_exactly(text, whole);
  if (digits == Outcome::out_of_range) {
    return quote(text) + " does not fit i64; say 'type: u64' or 'type: f64'";
  }
  if (real_.empty() && digits == Outcome::fine) {
    whole_.push_back(whole);
    return std::nullopt;
  }
  double real = 0;
  const Outcome outcome = parse_real(text, real);
  if (outcome != Outcome::fine) return explain(outcome, text, ElementType::f64);
  if (real_.empty()) {
    real_.assign(whole_.begin(), whole_.end());
    whole_ = {};
  }
  real_.push_back(real);
  return std::nullopt;
}

std::string format_number(double number) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number);
  std::string result(text, end);
  if (const auto plus = result.find('+'); plus != result.npos) result.erase(plus, 1);
  return result;
}

std::vector<std::byte> NumberList::take() {
  if (wanted_) return std::exchange(bytes_, {});
  const bool real = !real_.empty();
  const auto* from =
      real ? reinterpret_cast<const std::byte*>(real_.data()) : reinterpret_cast<const std::byte*>(whole_.data());
  std::vector<std::byte> bytes(from, from + 8 * count());
  whole_ = {};
  real_ = {};
  return bytes;
}

}  // namespace terrace::io
