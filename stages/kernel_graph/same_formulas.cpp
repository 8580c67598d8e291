#include "stages/kernel_graph/same_formulas.hpp"

#include <string>
#include <vector>

#include "kernels/formula/syntax.hpp"
#include "kernels/graph/node_formula.hpp"

namespace terrace::stages {
namespace {

using nlohmann::json;

/// The settings of one node's formula.
struct FormulaSettings {
  std::string text, names;

  explicit FormulaSettings(const std::string& node) : text(node + ".formula"), names(node + ".operands") {}

  std::vector<std::string> names_in(const json& settings) const {
    return settings.value(names, std::vector<std::string>{});
  }
  /// The meaning of a text; null if it is no formula.
  json meaning(const json& settings) const {
    if (!settings.contains(text)) return nullptr;
    json operands = json::array();
    for (const std::string& name : names_in(settings)) operands.push_back(settings.at(names + "." + name));
    try {
      return {graph::canonical_formula(settings.at(text), names_in(settings)), operands};
    } catch (const formula::Fault&) {
      return nullptr;
    }
  }
  void erase(json& settings) const {
    for (const std::string& name : names_in(settings)) settings.erase(names + "." + name);
    settings.erase(names);
    settings.erase(text);
  }
  void copy(const json& from, json& to) const {
    to[text] = from.at(text);
    if (from.contains(names)) to[names] = from.at(names);
    for (const std::string& name : names_in(from)) to[names + "." + name] = from.at(names + "." + name);
  }
};

}  // namespace

json node_formulas_in_words_of(const json& before, const json& now) {
  constexpr std::string_view ending = ".formula";
  json reworded = before;
  for (const auto& [key, value] : now.items()) {
    if (!key.ends_with(ending)) continue;
    const FormulaSettings own(key.substr(0, key.size() - ending.size()));
    const json meaning = own.meaning(now);
    if (meaning.is_null() || own.meaning(before) != meaning) continue;
    own.erase(reworded);
    own.copy(now, reworded);
  }
  return reworded;
}

}  // namespace terrace::stages
