#include <algorithm>

#include "kernels/formula/syntax.hpp"
#include "kernels/stencil/write.hpp"

namespace terrace::stencil {
namespace {

/// The word for a name: what it stands for, and which one of these; other names are words of the language.
std::string word_of(const WrittenText& text, const std::string& name) {
  const std::pair<const char*, const std::vector<std::string>*> lists[] = {
      {"field ", &text.fields}, {"array ", &text.arrays}, {"series ", &text.series}};
  for (const auto& [kind, names] : lists) {
    const auto at = std::find(names->begin(), names->end(), name);
    if (at != names->end()) return kind + std::to_string(at - names->begin());
  }
  for (const NamedNumber& number : text.parameters) {
    if (number.name != name) continue;
    return formula::canonical(formula::Number{number.is_whole, number.real, number.whole});
  }
  return name;
}

}  // namespace

std::optional<NamedNumber> named_number(const std::string& name, const std::string& text) {
  const auto number = formula::number_from(text);
  if (!number) return std::nullopt;
  return NamedNumber{name, number->is_whole, number->real, number->whole};
}

std::string canonical(const WrittenText& text) {
  const auto name = [&](const std::string& word) { return word_of(text, word); };
  std::string all = std::to_string(text.fields.size()) + " fields, " + std::to_string(text.arrays.size()) +
                    " arrays, " + std::to_string(text.series.size()) + " series";
  std::vector<WrittenText::Cell> cells = text.cells;
  if (text.in_turn) all += ", in turn";
  else std::ranges::sort(cells, {}, &WrittenText::Cell::field);
  for (const WrittenText::Cell& cell : cells) {
    all += "\nfield " + std::to_string(cell.field) + " = " + formula::canonical(*formula::parse(cell.text), name);
  }
  return all;
}

}  // namespace terrace::stencil
