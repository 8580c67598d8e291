#include "pipeline/job/declaration.hpp"

#include <algorithm>
#include <set>
#include <variant>

#include "pipeline/base/error.hpp"
#include "pipeline/job/yaml/declared_names.hpp"
#include "pipeline/job/yaml/settings.hpp"

namespace terrace::job {
namespace {

constexpr Parameter common_schedule = {"schedule", ParameterKind::choice, "how blocks are swept", "auto", "auto"};

/// True if a setting is given and is one of the words, or a list that holds one.
bool holds_word(const Settings& settings, const std::string& name, const std::vector<std::string>& words) {
  if (!settings.has(name)) return false;
  auto listed = [&](const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  bool found = false;
  settings.for_each([&](const std::string& at, const Value& value, const Place&) {
    if (at != name) return;
    if (auto text = std::get_if<std::string>(&value)) found = listed(*text);
    if (auto flag = std::get_if<bool>(&value)) found = listed(*flag ? "true" : "false");
    if (auto texts = std::get_if<std::vector<std::string>>(&value)) {
      found = std::any_of(texts->begin(), texts->end(), listed);
    }
  });
  return found;
}

/// Checks that what holds a pattern's names or items is declared as such.
void check_owner(const StageDeclaration& stage, const ProblemDeclaration* problem, const Parameter& parameter,
                 const std::string& owner) {
  for (std::string_view name = parameter.name; is_pattern(name); name = parent_of(name)) {
    if (!is_chosen(name)) continue;
    const ParameterKind wanted = name.ends_with("[]") ? ParameterKind::items : ParameterKind::names;
    const std::string_view above = parent_of(name);
    const auto parameters = parameters_of(stage, problem);
    const bool declared = std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& other) {
      return above == other.name && other.kind == wanted;
    });
    if (declared) continue;
    throw Error("declaration of " + owner + ": '" + parameter.name + "' needs '" + std::string(above) + "' of kind " +
                (wanted == ParameterKind::items ? "items" : "names"));
  }
}

void check_parameters(const StageDeclaration& stage, const ProblemDeclaration* problem) {
  const std::string owner = stage.name + (problem ? "/" + problem->name : "");
  std::set<std::string> names;
  for (const Parameter& parameter : problem ? problem->parameters : stage.parameters) {
    if (!names.insert(parameter.name).second) {
      throw Error("declaration of " + owner + ": '" + parameter.name + "' is declared twice");
    }
    check_default(parameter, owner);
  }
  for (const Parameter& parameter : parameters_of(stage, problem)) check_owner(stage, problem, parameter, owner);
}

}  // namespace

const ProblemDeclaration* StageDeclaration::find_problem(std::string_view problem) const {
  auto at = std::find_if(problems.begin(), problems.end(), [&](const auto& entry) { return entry.name == problem; });
  return at == problems.end() ? nullptr : &*at;
}

void StageTable::add(StageDeclaration declaration) {
  if (find(declaration.name)) throw Error("the stage '" + declaration.name + "' is declared twice");
  auto& parameters = declaration.parameters;
  if (std::none_of(parameters.begin(), parameters.end(),
                   [](const Parameter& p) { return std::string_view(p.name) == "schedule"; })) {
    parameters.push_back(common_schedule);
  }
  check_parameters(declaration, nullptr);
  for (const ProblemDeclaration& problem : declaration.problems) {
    if (declaration.find_problem(problem.name) != &problem) {
      throw Error("the problem '" + declaration.name + "/" + problem.name + "' is declared twice");
    }
    check_parameters(declaration, &problem);
  }
  stages_.push_back(std::move(declaration));
}

const StageDeclaration* StageTable::find(std::string_view name) const {
  auto at = std::find_if(stages_.begin(), stages_.end(), [&](const auto& stage) { return stage.name == name; });
  return at == stages_.end() ? nullptr : &*at;
}

std::vector<Parameter> parameters_of(const StageDeclaration& stage, const ProblemDeclaration* problem) {
  std::vector<Parameter> result;
  auto redeclared = [&](const Parameter& parameter) {
    return problem && std::any_of(problem->parameters.begin(), problem->parameters.end(),
                                  [&](const Parameter& own) { return std::string_view(own.name) == parameter.name; });
  };
  for (const Parameter& parameter : stage.parameters) {
    if (!redeclared(parameter)) result.push_back(parameter);
  }
  if (problem) result.insert(result.end(), problem->parameters.begin(), problem->parameters.end());
  return result;
}

std::vector<const OutputDeclaration*> outputs_of(const StageDeclaration& stage, const ProblemDeclaration* problem) {
  std::vector<const OutputDeclaration*> result;
  for (const OutputDeclaration& output : stage.outputs) result.push_back(&output);
  if (problem) {
    for (const OutputDeclaration& output : problem->outputs) result.push_back(&output);
  }
  return result;
}

bool is_written(const OutputDeclaration& output, const Settings& settings) {
  if (output.written) return output.written(settings);
  if (output.when.empty()) return true;
  const std::size_t colon = output.when.find(':');
  const std::string name = output.when.substr(0, colon);
  if (colon == std::string::npos) return settings.has(name) && !holds_word(settings, name, {"false"});
  return holds_word(settings, name, split_words(std::string_view(output.when).substr(colon + 1)));
}

std::vector<std::string> names_written(const OutputDeclaration& output, const Settings& settings) {
  if (!is_written(output, settings)) return {};
  return output.names ? output.names(settings) : std::vector<std::string>{output.name};
}

}  // namespace terrace::job
