#include "kernels/nest/print/text.hpp"

#include <limits>

namespace terrace::nest {

std::string number(i64 value) {
  if (value >= 0) return std::to_string(value);
  if (value == std::numeric_limits<i64>::min()) return "least_whole";
  return "(" + std::to_string(value) + ")";
}

std::string Linear::in_source(bool last) const {
  std::string text;
  for (std::size_t m = 0; m + (last ? 0 : 1) < multiples.size(); ++m) {
    if (multiples[m] == 0) continue;
    if (!text.empty()) text += " + ";
    text += "c[" + std::to_string(m) + "]";
    if (multiples[m] != 1) text += " * " + number(multiples[m]);
  }
  if (text.empty()) return number(constant);
  return constant == 0 ? text : text + " + " + number(constant);
}

std::string Linear::extreme(bool largest) const {
  std::string text = number(constant);
  for (std::size_t m = 0; m < multiples.size(); ++m) {
    if (multiples[m] == 0) continue;
    text += (multiples[m] > 0) == largest ? " + high[" : " + low[";
    text += std::to_string(m) + "] * " + number(multiples[m]);
  }
  return text;
}

std::string table(const std::string& type, const std::string& name, const std::vector<std::string>& values) {
  std::string text = "  TERRACE_HOST_DEVICE static constexpr " + type + " " + name + "(int n) {\n    return ";
  for (std::size_t n = 0; n + 1 < values.size(); ++n) text += "n == " + std::to_string(n) + " ? " + values[n] + " : ";
  return text + (values.empty() ? "0" : values.back()) + ";\n  }\n";
}

std::string in_box(const Ranges& box, const Ranges& within) {
  std::string text;
  const auto add = [&](std::size_t n, const std::string& compared) {
    text += (text.empty() ? "y[" : " && y[") + std::to_string(n) + "] " + compared;
  };
  for (std::size_t n = 0; n < box.size(); ++n) {
    if (box[n].begin > within[n].begin) add(n, ">= " + number(box[n].begin));
    if (box[n].end < within[n].end) add(n, "< " + number(box[n].end));
  }
  return text.empty() ? "true" : text;
}

}  // namespace terrace::nest
