// The arrays and files that settings name, and the outputs that they choose.
#include <algorithm>
#include <charconv>

#include "pipeline/job/job_reader.hpp"
#include "pipeline/job/yaml/declared_names.hpp"
#include "pipeline/job/yaml/reader.hpp"
#include "pipeline/job/yaml/scalar.hpp"

namespace terrace::job {
namespace {

/// True if the value is given as one text that is not just a word in place of a value.
bool is_text(const Parameter& parameter, const std::string& setting, const Settings& settings) {
  if (!settings.holds<std::string>(setting)) return false;
  const auto words = split_words(parameter.choices ? parameter.choices : "");
  return std::find(words.begin(), words.end(), settings.text(setting)) == words.end();
}

/// A setting at any key of a map: the first one that is given.
const Node* find_in_values(const Node& map, std::string_view name) {
  for (const Entry& entry : map.entries) {
    if (const Node* found = find_setting(entry.value, name)) return found;
  }
  return nullptr;
}

/// The item of a list at an index in digits; without digits the first one.
const Node* find_item(const Node& list, std::string_view digits) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool valid = digits.empty() || (error == std::errc{} && end == digits.data() + digits.size());
  return valid && index < list.items.size() ? &list.items[index] : nullptr;
}

bool names_arrays(const Parameter& parameter, const std::string& setting, const Settings& settings) {
  switch (parameter.kind) {
    case ParameterKind::array:
    case ParameterKind::quantity:
    case ParameterKind::node_pairs:
      return is_text(parameter, setting, settings);
    case ParameterKind::quantities:
      return settings.holds<std::vector<std::string>>(setting) && !array_names({setting}, settings).empty();
    default:
      return takes_array(parameter) && is_text(parameter, setting, settings);
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
    if (parameter.kind != ParameterKind::file) continue;
    for (std::string& setting : settings_of(parameter.name, settings)) {
      if (is_text(parameter, setting, settings)) names.push_back(std::move(setting));
    }
  }
  return names;
}

std::vector<std::string> names_of_arrays(const std::vector<Parameter>& parameters, const Settings& settings) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) {
    for (std::string& setting : settings_of(parameter.name, settings)) {
      if (names_arrays(parameter, setting, settings)) names.push_back(std::move(setting));
    }
  }
  return names;
}

std::vector<std::string> names_of_sets(const ProblemDeclaration* problem, const std::vector<std::string>& arrays) {
  if (problem == nullptr) return {};
  std::vector<std::string> sets = problem->sets;
  std::erase_if(sets,
                [&](const auto& name) { return std::find(arrays.begin(), arrays.end(), name) == arrays.end(); });
  return sets;
}

void add_outputs(const StageDeclaration& kind, const ProblemDeclaration* problem, Stage& stage) {
  for (const OutputDeclaration* output : outputs_of(kind, problem)) {
    const std::vector<std::string> names = names_written(*output, stage.settings);
    stage.outputs.insert(stage.outputs.end(), names.begin(), names.end());
    stage.ties = stage.ties || (!names.empty() && output->ties.kind == Ties::open);
  }
}

const Node* node_of_element(const Node* setting, std::size_t element) {
  const bool in_list = setting && setting->kind == Node::Kind::list && element < setting->items.size();
  return in_list ? &setting->items[element] : setting;
}

const Node* find_element(const Node& map, std::string_view setting, std::size_t element) {
  return node_of_element(find_setting(map, setting), element);
}

const Node* find_setting(const Node& map, std::string_view name) {
  const Node* node = &map;
  while (node && !name.empty()) {
    if (name.starts_with('[')) {
      const std::size_t close = std::min(name.find(']'), name.size());
      node = find_item(*node, name.substr(1, close - 1));
      name.remove_prefix(std::min(close + 1, name.size()));
    } else {
      const std::size_t end = std::min(name.find_first_of(".["), name.size());
      if (name.starts_with('*')) return find_in_values(*node, name.substr(name.starts_with("*.") ? 2 : 1));
      node = node->find(name.substr(0, end));
      name.remove_prefix(end);
    }
    if (name.starts_with('.')) name.remove_prefix(1);
  }
  return node;
}

}  // namespace terrace::job
