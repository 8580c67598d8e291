#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "kernels/formula/syntax.hpp"

namespace terrace::formula {

/// Every operation has parentheses of its own, and subscripts say how they are grouped.
std::string canonical(const Syntax& syntax, const std::function<std::string(const std::string&)>& name) {
  if (syntax.form == Form::whole) return std::to_string(syntax.whole);
  if (syntax.form == Form::name) return name(syntax.word);
  if (syntax.form == Form::real) {
    std::array<char, 40> digits{};
    std::snprintf(digits.data(), digits.size(), "%a", syntax.real);
    return digits.data();
  }
  std::string text = "(" + (syntax.form == Form::subscript ? name(syntax.word) + "[]" : syntax.word);
  for (const std::size_t group : syntax.groups) text += " " + std::to_string(group) + ":";
  for (const auto& child : syntax.children) text += " " + canonical(*child, name);
  return text + ")";
}

std::string canonical(const Number& number) {
  Syntax written{};
  written.form = number.is_whole ? Form::whole : Form::real;
  written.whole = std::abs(number.whole);
  written.real = std::abs(number.real);
  const std::string magnitude = canonical(written, {});
  const bool negative = number.is_whole ? number.whole < 0 : std::signbit(number.real);
  return negative ? "(- " + magnitude + ")" : magnitude;
}

}  // namespace terrace::formula
