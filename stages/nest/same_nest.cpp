#include "stages/nest/same_nest.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/formula/syntax.hpp"
#include "kernels/nest/affine.hpp"

namespace terrace::stages {
namespace {

using formula::Number;
using formula::Syntax;
using nlohmann::json;

using Names = std::vector<std::string>;

Names names_in(const json& settings, const std::string& list) { return settings.value(list, Names{}); }

std::optional<std::size_t> place_of(const Names& names, const std::string& name) {
  const auto at = std::ranges::find(names, name);
  return at == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - names.begin()));
}

/// The setting holds formulas, statements or bounds: a text, or a list of them.
bool holds_texts(const std::string& setting) {
  const bool is_cell = setting.starts_with("cells[") && !setting.ends_with("].for");
  const bool is_outside = setting.starts_with("arrays.") && setting.ends_with(".outside");
  return is_cell || is_outside || setting.starts_with("loops.");
}
bool is_bound(const std::string& setting) {
  return setting.starts_with("loops.") || setting.find("].for.") != std::string::npos;
}

/// The names of a nest, by which its texts are compared.
class Words {
 public:
  /// The names of parameters stand for their numbers, or for their places among the parameters.
  enum class Parameters : std::uint8_t { numbers, places };

  explicit Words(const json& settings)
      : loops_(names_in(settings, "loops")),
        inputs_(names_in(settings, "inputs")),
        parameters_(names_in(settings, "parameters")),
        arrays_(names_in(settings, "arrays")) {
    for (const std::string& name : parameters_)
      numbers_.push_back(formula::number_from(settings.at("parameters." + name).get<std::string>()));
  }

  const Names& loops() const { return loops_; }
  const Names& inputs() const { return inputs_; }
  const Names& parameters() const { return parameters_; }

  /// True if there are as many names of each kind, and the arrays have the same.
  bool match(const Words& other) const {
    return loops_.size() == other.loops_.size() && inputs_.size() == other.inputs_.size() && arrays_ == other.arrays_;
  }

  /// The texts of a setting, names aside; empty if one is none that can be computed.
  std::string canonical(const std::string& setting, const json& value, Parameters parameters) const {
    std::string all;
    try {
      for (const json& text : value.is_array() ? value : json::array({value}))
        all += canonical_text(setting, text.get<std::string>(), parameters) + "\n";
    } catch (const formula::Fault&) {
      return "";
    }
    return all;
  }

 private:
  std::string canonical_text(const std::string& setting, const std::string& text, Parameters parameters) const {
    const auto word = [&](const std::string& name) { return word_of(name, parameters); };
    if (setting.ends_with(".outside")) return formula::canonical(*formula::parse(text), word);
    if (is_bound(setting)) return canonical_bound(*formula::parse(text), parameters);
    const formula::Assignment statement = formula::parse_assignment(text);
    return formula::canonical(*statement.target, word) + " = " + formula::canonical(*statement.value, word);
  }
  std::string canonical_bound(const Syntax& bound, Parameters parameters) const {
    const auto word = [&](const std::string& name) { return word_of(name, parameters); };
    if (parameters == Parameters::places) return formula::canonical(bound, word);
    const Names none;
    const auto value = [&](const Syntax& syntax) -> std::optional<nest::i64> {
      const auto place = place_of(parameters_, syntax.word);
      if (syntax.form != formula::Form::name || !place || !numbers_[*place] || !numbers_[*place]->is_whole)
        return std::nullopt;
      return numbers_[*place]->whole;
    };
    const auto number = nest::affine_of(bound, {none, value});
    return number ? std::to_string(number->constant) : formula::canonical(bound, word);
  }
  /// Other names are those of arrays and words of the language.
  std::string word_of(const std::string& name, Parameters parameters) const {
    if (const auto place = place_of(loops_, name)) return "loop " + std::to_string(*place);
    if (const auto place = place_of(inputs_, name)) return "input " + std::to_string(*place);
    const auto place = place_of(parameters_, name);
    if (!place) return name;
    if (parameters == Parameters::places) return "parameter " + std::to_string(*place);
    if (!numbers_[*place]) throw formula::Fault{0, "no number"};
    return formula::canonical(*numbers_[*place]);
  }

  Names loops_, inputs_, parameters_, arrays_;
  std::vector<std::optional<Number>> numbers_;  // of the parameters
};

/// The settings of an earlier nest, whose words are replaced one kind after another.
class Reworded {
 public:
  /// The nests match.
  Reworded(const json& before, const json& now) : now_(now), old_(before), own_(now), made_(before) {}

  json settings() && {
    rename("loops.", "loops", old_.loops(), own_.loops());
    rename("inputs.", "inputs", old_.inputs(), own_.inputs());
    if (old_.parameters().size() == own_.parameters().size())
      rename("parameters.", "parameters", old_.parameters(), own_.parameters());
    rename_ranges();
    if (!take_texts()) return {};
    if (means_the_same_) take_parameters();
    return std::move(made_);
  }

 private:
  /// Renames the keys of a map. @param list the setting that lists them
  void rename(const std::string& prefix, const std::string& list, const Names& before, const Names& now) {
    std::vector<json> values;
    for (const std::string& name : before) {
      values.push_back(made_.at(prefix + name));
      made_.erase(prefix + name);
    }
    for (std::size_t n = 0; n < now.size(); ++n) made_[prefix + now[n]] = values.at(n);
    if (now_.contains(list)) made_[list] = now_[list];
  }
  /// Renames the loops of `for`, which have no order.
  void rename_ranges() {
    const json all = made_;
    for (const auto& [setting, value] : all.items()) {
      if (!setting.starts_with("cells[") || !setting.ends_with("].for")) continue;
      const Names before = value.get<Names>();
      Names renamed;
      for (const std::string& loop : before) {
        const auto place = place_of(old_.loops(), loop);
        renamed.push_back(place ? own_.loops()[*place] : loop);
      }
      rename(setting + ".", setting, before, renamed);
      const Names now = names_in(now_, setting);
      const bool is_same = std::set(renamed.begin(), renamed.end()) == std::set(now.begin(), now.end());
      made_[setting] = is_same ? now : renamed;
    }
  }
  /// Takes the texts that mean the same. @return false if one does not that is written alike
  bool take_texts() {
    for (const auto& [setting, text] : now_.items()) {
      if (!holds_texts(setting)) continue;
      const bool is_there = made_.contains(setting);
      const bool is_same = is_there && mean_the_same(setting, text, Words::Parameters::numbers);
      means_the_same_ &= is_same;
      if (!is_there) continue;
      if (is_same || mean_the_same(setting, text, Words::Parameters::places)) made_[setting] = text;
      else if (made_[setting] == text) return false;
    }
    return true;
  }
  bool mean_the_same(const std::string& setting, const json& text, Words::Parameters parameters) const {
    const std::string canonical = own_.canonical(setting, text, parameters);
    return !canonical.empty() && old_.canonical(setting, made_.at(setting), parameters) == canonical;
  }
  /// Takes the parameters, where texts mean the same with the numbers that they name.
  void take_parameters() {
    for (const std::string& name : names_in(made_, "parameters")) made_.erase("parameters." + name);
    for (const std::string& name : own_.parameters()) made_["parameters." + name] = now_.at("parameters." + name);
    if (now_.contains("parameters")) made_["parameters"] = now_["parameters"];
  }

  const json& now_;
  Words old_, own_;
  json made_;
  bool means_the_same_ = true;
};

}  // namespace

json nest_in_words_of(const json& before, const json& now) {
  if (!Words(before).match(Words(now))) return before;
  json reworded = Reworded(before, now).settings();
  return reworded.is_null() ? before : reworded;
}

}  // namespace terrace::stages
