#include "pipeline/job/yaml/scalar.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "pipeline/base/units.hpp"

namespace terrace::job {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

std::string_view without_sign(std::string_view text) {
  return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

/// Without a leading '+', which std::from_chars does not take.
std::string_view without_plus(std::string_view text) {
  return text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+' ? text.substr(1) : text;
}

/// 010 is 8 to YAML 1.1 and 10 to YAML 1.2: refused.
bool has_leading_zero(std::string_view text) {
  text = without_sign(text);
  return text.size() > 1 && text[0] == '0' && is_digit(text[1]);
}

/// A valid number in place of an invalid text, as a hint.
std::string number_hint(const Node& node) {
  const std::string_view text = node.text, digits = without_sign(text);
  if (node.quoted) return "take the quotes away";
  if (has_leading_zero(text)) return "a leading zero means octal to some readers of YAML; write it without";
  if (digits.starts_with("0x") || digits.starts_with("0o") || digits.starts_with("0b")) return "write it in decimal";
  if (text.find('_') != std::string_view::npos) return "write the digits without _";
  if (text.find(',') != std::string_view::npos) return "write the digits without commas; fractions take a point";
  return "";
}

Node without_quotes(Node node) {
  node.quoted = false;
  return node;
}

/// True if a text such as 1e30 is a number, and larger than any that a count can be.
bool is_whole_beyond_64_bits(std::string_view text) {
  double value = 0;
  const std::string_view digits = without_sign(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole_text = end == digits.data() + digits.size() && !digits.empty();
  const bool digit_first = !digits.empty() && is_digit(digits.front());
  return whole_text && digit_first &&
         (error == std::errc::result_out_of_range ? digits.find('-') == digits.npos : value >= 9.2e18);
}

/// The whole number that corresponds to a text such as 1e9 or 64Ki or 3.0, as a hint.
std::string whole_hint(const Node& node) {
  std::string hint = number_hint(node);
  const auto count = parse_count(node.text);
  if (hint.empty() && count) hint = "write " + std::to_string(*count);
  return hint;
}

}  // namespace

Scalar<std::int64_t> read_integer(const Node& node) {
  const std::string_view text = without_plus(node.text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits_only = end == text.data() + text.size() && !text.empty();
  if (digits_only && error == std::errc::result_out_of_range) return {false, 0, "it does not fit in 64 bits"};
  if (node.quoted || error != std::errc{} || !digits_only || has_leading_zero(text)) {
    return {false, 0, whole_hint(node)};
  }
  return {true, value};
}

Scalar<std::int64_t> read_count(const Node& node) {
  Scalar<std::int64_t> plain = read_integer(node);
  // JSON writes 64Ki in quotes; digits alone need none.
  const bool quoted_digits = node.quoted && read_integer(without_quotes(node)).valid;
  if (plain.valid || quoted_digits || has_leading_zero(node.text)) return plain;
  const bool negative = node.text.starts_with('-');
  const auto count = parse_count(without_sign(node.text));
  if (!count && plain.hint.empty() && is_whole_beyond_64_bits(node.text)) plain.hint = "it does not fit in 64 bits";
  if (!count) return plain;
  return {true, negative ? -*count : *count};
}

Scalar<double> read_number(const Node& node) {
  const std::string_view text = without_plus(node.text), magnitude = without_sign(text);
  if (node.quoted || has_leading_zero(text)) return {false, 0, number_hint(node)};
  if (magnitude == ".inf" || magnitude == "inf") {
    const double infinity = std::numeric_limits<double>::infinity();
    return {true, text.starts_with('-') ? -infinity : infinity};
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole_text = end == text.data() + text.size() && !text.empty();
  if (whole_text && error == std::errc::result_out_of_range) return {false, 0, "it does not fit a 64-bit float"};
  if (error != std::errc{} || !whole_text || !std::isfinite(value)) return {false, 0, number_hint(node)};
  return {true, value};
}

Scalar<std::int64_t> read_size(const Node& node) {
  if (has_leading_zero(node.text)) return {false, 0, number_hint(without_quotes(node))};
  const auto size = parse_size(node.text);
  if (size) return {true, *size};
  std::string unit = node.text;
  while (!unit.empty() && (is_digit(unit.front()) || unit.front() == '.' || unit.front() == ' ')) unit.erase(0, 1);
  const std::string written = unit;
  std::transform(unit.begin(), unit.end(), unit.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  if (unit == "KIB" || unit == "MIB" || unit == "GIB" || unit == "TIB") unit = std::string(1, unit[0]) + "iB";
  else if (unit != "KB" && unit != "MB" && unit != "GB" && unit != "TB")
    return {false, 0, number_hint(without_quotes(node))};
  if (written == unit) return {false, 0, "it is no number of bytes below 2^63"};
  return {false, 0, "the unit is written " + unit};
}

Scalar<double> read_duration(const Node& node) {
  if (has_leading_zero(node.text)) return {false, 0, number_hint(without_quotes(node))};
  const auto seconds = parse_duration(node.text);
  if (seconds) return {true, *seconds};
  const bool bare = !node.text.empty() && std::all_of(node.text.begin(), node.text.end(), is_digit);
  return {false, 0, bare ? "add the unit: " + node.text + "s" : "units are ms, s, min, h and d"};
}

Scalar<bool> read_flag(const Node& node) {
  if (!node.quoted && (node.text == "true" || node.text == "false")) return {true, node.text == "true"};
  std::string folded = node.text;
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (folded == "true" || folded == "yes" || folded == "on" || folded == "1") return {false, false, "write true"};
  if (folded == "false" || folded == "no" || folded == "off" || folded == "0") return {false, false, "write false"};
  return {};
}

}  // namespace terrace::job
