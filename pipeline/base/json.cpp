#include "pipeline/base/json.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace terrace {

using nlohmann::json;

std::string to_hex(const std::string& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string from_hex(const std::string& text) {
  static constexpr std::string_view digits = "0123456789abcdef";
  if (text.size() % 2 != 0 || text.find_first_not_of(digits) != text.npos) {
    throw std::invalid_argument("'" + text.substr(0, 40) + "' is not pairs of hexadecimal digits");
  }
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes += static_cast<char>(digits.find(text[i]) << 4 | digits.find(text[i + 1]));
  }
  return bytes;
}

json number_json(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

double number_from(const json& value) {
  if (!value.is_string()) return value.get<double>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto& text = value.get_ref<const std::string&>();
  if (text == "inf") return infinity;
  if (text == "-inf") return -infinity;
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw std::invalid_argument("'" + text.substr(0, 40) + "' is no number");
}

json numbers_json(const std::vector<double>& numbers) {
  json list = json::array();
  for (double number : numbers) list.push_back(number_json(number));
  return list;
}

std::vector<double> numbers_from(const json& list) {
  std::vector<double> numbers;
  for (const json& value : list) numbers.push_back(number_from(value));
  return numbers;
}

json extents_json(const Extents& extents) { return std::vector<std::int64_t>(extents.begin(), extents.end()); }

Extents extents_from(const json& from) {
  Extents extents;
  for (const json& extent : from) extents.push_back(extent);
  return extents;
}

json text_json(const std::string& text) {
  json value = text;
  try {
    value.dump();
  } catch (const json::type_error&) {
    return {{"bytes", to_hex(text)}};
  }
  return value;
}

std::string text_from(const json& value) {
  return value.is_object() ? from_hex(value.at("bytes").get<std::string>()) : value.get<std::string>();
}

}  // namespace terrace
