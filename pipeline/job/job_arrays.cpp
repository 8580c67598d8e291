// The arrays and files that settings name, and the outputs that they choose.
#include <algorithm>

#include "pipeline/job/job_reader.hpp"
#include "pipeline/job/yaml_scalar.hpp"

namespace terrace::job {
namespace {

/// True if the value is given as one text that is not just a word in place of a value.
bool is_text(const Parameter& parameter, const Settings& settings) {
  if (!settings.holds<std::string>(parameter.name)) return false;
  const auto words = split_words(parameter.choices ? parameter.choices : "");
  return std::find(words.begin(), words.end(), settings.text(parameter.name)) == words.end();
}

bool names_arrays(const Parameter& parameter, const Settings& settings) {
  switch (parameter.kind) {
    case ParameterKind::array:
    case ParameterKind::quantity:
    case ParameterKind::node_pairs:
      return is_text(parameter, settings);
    case ParameterKind::quantities:
      return settings.holds<std::vector<std::string>>(parameter.name) &&
             !array_names({parameter.name}, settings).empty();
    default:
      return false;
  }
}

}  // namespace

std::vector<ArrayName> array_names(const std::vector<std::string>& arrays, const Settings& settings) {
  std::vector<ArrayName> names;
  for (const std::string& setting : arrays) {
    if (settings.holds<std::string>(setting)) {
      names.push_back({setting, 0, settings.text(setting)});
      continue;
    }
    const auto& entries = settings.get<std::vector<std::string>>(setting);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!number_of_entry(entries[i])) names.push_back({setting, i, entries[i]});
    }
  }
  return names;
}

std::optional<double> number_of_entry(const std::string& entry) {
  const Scalar<double> number = read_number({Node::Kind::scalar, {}, entry});
  return number.valid ? std::optional<double>(number.value) : std::nullopt;
}

std::vector<std::string> names_of_files(const std::vector<Parameter>& parameters, const Settings& settings) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) {
    if (parameter.kind == ParameterKind::file && is_text(parameter, settings)) names.emplace_back(parameter.name);
  }
  return names;
}

std::vector<std::string> names_of_arrays(const std::vector<Parameter>& parameters, const Settings& settings) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) {
    if (names_arrays(parameter, settings)) names.emplace_back(parameter.name);
  }
  return names;
}

void add_outputs(const StageDeclaration& kind, const ProblemDeclaration* problem, Stage& stage) {
  for (const OutputDeclaration* output : outputs_of(kind, problem)) {
    if (!is_written(*output, stage.settings)) continue;
    stage.outputs.push_back(output->name);
    stage.ties = stage.ties || output->ties.kind == Ties::open;
  }
}

const Node* find_element(const Node& map, std::string_view setting, std::size_t element) {
  const Node* node = find_setting(map, setting);
  const bool in_list = node && node->kind == Node::Kind::list && element < node->items.size();
  return in_list ? &node->items[element] : node;
}

}  // namespace terrace::job
