#include "stages/nest/words.hpp"

#include <algorithm>
#include <set>

#include "kernels/formula/syntax.hpp"

namespace terrace::stages {
namespace {

using formula::Form;
using formula::Syntax;

void collect(const Syntax& syntax, std::vector<std::string>& words) {
  if (syntax.form == Form::name || syntax.form == Form::subscript) words.push_back(syntax.word);
  for (const auto& child : syntax.children) collect(*child, words);
}

/// The names in a text; none of a text that is no formula: the nest refuses that at its place.
void collect_from(const std::string& text, bool is_statement, std::vector<std::string>& words) {
  try {
    if (!is_statement) return collect(*formula::parse(text), words);
    const formula::Assignment statement = formula::parse_assignment(text);
    collect(*statement.target, words);
    collect(*statement.value, words);
  } catch (const formula::Fault&) {
  }
}

void collect_from_list(const Settings& settings, const std::string& setting, std::vector<std::string>& words) {
  for (const std::string& text : settings.names(setting)) collect_from(text, false, words);
}

/// All names that the formulas of a nest use, in their order.
std::vector<std::string> words_of(const Settings& settings) {
  std::vector<std::string> words;
  for (const std::string& loop : settings.names("loops")) collect_from_list(settings, "loops." + loop, words);
  for (const std::string& array : settings.names("arrays")) {
    const std::string outside = "arrays." + array + ".outside";
    if (settings.has(outside)) collect_from(settings.text(outside), false, words);
  }
  for (std::int64_t cell = 0; cell < settings.count("cells"); ++cell) {
    const std::string ranges = "cells[" + std::to_string(cell) + "].for";
    for (const std::string& loop : settings.names(ranges)) collect_from_list(settings, ranges + "." + loop, words);
    collect_from(settings.text(setting_of_statement(settings, cell)), true, words);
  }
  return words;
}

bool keeps(const Settings& settings, const std::string& array, const std::string& keep) {
  const std::vector<std::string> kept = settings.names("arrays." + array + ".keep");
  return std::find(kept.begin(), kept.end(), keep) != kept.end();
}

}  // namespace

std::string setting_of_statement(const Settings& settings, std::int64_t number) {
  const std::string cell = "cells[" + std::to_string(number) + "]";
  return settings.has(cell + ".do") ? cell + ".do" : cell;
}

void find_inputs_of_nest(Settings& settings, const std::function<bool(const std::string&)>& is_input) {
  std::vector<std::string> inputs = settings.names("inputs");
  std::set<std::string> known(inputs.begin(), inputs.end());
  for (const char* map : {"loops", "parameters", "arrays"}) {
    for (const std::string& name : settings.names(map)) known.insert(name);
  }
  for (const std::string& word : words_of(settings)) {
    if (!is_input(word) || !known.insert(word).second) continue;
    inputs.push_back(word);
    settings.set("inputs." + word, word);
  }
  settings.set("inputs", inputs, settings.has("inputs") ? settings.place("inputs") : Place{});
}

bool is_in_place(const Settings& settings, const std::string& array) {
  for (std::int64_t cell = 0; cell < settings.count("cells"); ++cell) {
    try {
      const formula::Assignment statement =
          formula::parse_assignment(settings.text(setting_of_statement(settings, cell)));
      if (statement.target->word == array) return statement.target->children.size() < settings.names("loops").size();
    } catch (const formula::Fault&) {
      // The nest is refused when it is made.
    }
  }
  return false;
}

std::string dataset_of(const Settings& settings, const std::string& array, const std::string& keep) {
  if (keep == "table" || (keep == "last" && is_in_place(settings, array))) return array;
  return array + "_" + keep;
}

std::vector<std::string> datasets_of(const Settings& settings, const std::string& keep) {
  std::vector<std::string> names;
  for (const std::string& array : settings.names("arrays")) {
    if (keeps(settings, array, keep)) names.push_back(dataset_of(settings, array, keep));
  }
  return names;
}

std::vector<std::string> best_datasets_of(const Settings& settings, const std::string& suffix) {
  std::vector<std::string> names;
  for (const std::string& array : settings.names("arrays")) {
    if (settings.has("arrays." + array + ".best")) names.push_back(array + suffix);
  }
  return names;
}

}  // namespace terrace::stages
