#include "pipeline/job/examples.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "pipeline/base/error.hpp"
#include "pipeline/job/job_reader.hpp"
#include "pipeline/job/yaml/declared_names.hpp"
#include "pipeline/job/yaml/parse.hpp"
#include "pipeline/job/yaml/reader.hpp"

namespace terrace::job {
namespace {

/// A piece of YAML that declarations hold. @throws Error if it is none
Node parsed(const std::string& text) {
  const Sources sources("declaration", text, {});
  Complaints complaints(sources);
  auto node = parse_yaml(text, 0, complaints);
  if (!node || !complaints.empty()) throw Error("declaration of an example: " + complaints.rendered().front());
  return std::move(*node);
}

/// Lays the keys of one map over another.
void lay_over(Node& map, const Node& keys) {
  for (const Entry& entry : keys.entries) {
    if (Node* before = map.find(entry.key)) *before = entry.value;
    else map.entries.push_back(entry);
  }
}

/// The first word that is not the default.
std::string other_word(const Parameter& parameter) {
  const std::vector<std::string> words = words_of(parameter);
  const std::string usual = parameter.default_text ? parameter.default_text : "";
  const auto other = std::find_if(words.begin(), words.end(), [&](const std::string& word) { return word != usual; });
  return other == words.end() ? usual : *other;
}

/// The default if there is one, else the bound that is nearer to 1, or 1.
std::string some_number(const Parameter& parameter) {
  const std::string usual = parameter.default_text ? parameter.default_text : "";
  char* end = nullptr;
  std::strtod(usual.c_str(), &end);
  if (!usual.empty() && *end == '\0') return usual;
  return std::to_string(static_cast<std::int64_t>(std::clamp(1.0, std::ceil(parameter.minimum), parameter.maximum)));
}

std::string usual_or(const Parameter& parameter, const char* other) {
  return parameter.default_text && *parameter.default_text != '\0' ? parameter.default_text : other;
}

/// A value of a parameter; empty where any may be wrong in its place.
std::string made_up(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::choice:
    case ParameterKind::texts:
    case ParameterKind::faces:
      return parameter.choices ? other_word(parameter) : "";
    case ParameterKind::flag:
      return parameter.default_text && std::strcmp(parameter.default_text, "true") == 0 ? "false" : "true";
    case ParameterKind::integer:
    case ParameterKind::count:
    case ParameterKind::number:
    case ParameterKind::quantity:
      return some_number(parameter);
    case ParameterKind::size:
      return usual_or(parameter, "64MiB");
    case ParameterKind::duration:
      return usual_or(parameter, "30s");
    case ParameterKind::type:
      return "f64";
    default:
      return "";
  }
}

/// A map that holds one key, which may be a dotted one.
Node map_of(const std::string& key, const std::string& value) {
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos) return parsed("{" + key + ": " + value + "}");
  Node map{Node::Kind::map, {}};
  map.entries.push_back({key.substr(0, dot), {}, map_of(key.substr(dot + 1), value)});
  return map;
}

/// Sets a key of the first map that a name such as "arrays.*.keep" stands for. @returns false if there is none
bool set_chosen(Node& whole, const std::string& name, const std::string& value) {
  const std::string_view above = parent_of(name);
  // The map is found in what is to be changed.
  Node* map = const_cast<Node*>(find_setting(whole, above));
  if (is_chosen(name) || !map || map->kind != Node::Kind::map) return false;
  const Node only = map_of(name.substr(above.size() + 1), value);
  lay_over(*map, only);
  return true;
}

/// True if a text in the node is the name of the input.
bool names(const Node& node, const std::string& input) {
  if (node.kind == Node::Kind::scalar) return node.text == input;
  const auto in_item = [&](const Node& item) { return names(item, input); };
  const auto in_entry = [&](const Entry& entry) { return names(entry.value, input); };
  return std::any_of(node.items.begin(), node.items.end(), in_item) ||
         std::any_of(node.entries.begin(), node.entries.end(), in_entry);
}

/// The inputs that the settings name, and the inputs that these are made of.
Node inputs_for(const Node& settings, const Node& inputs) {
  std::vector<bool> needed(inputs.entries.size(), false);
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (needed[i]) continue;
      needed[i] = names(settings, inputs.entries[i].key);
      for (std::size_t j = 0; j < needed.size(); ++j) {
        needed[i] = needed[i] || (needed[j] && names(inputs.entries[j].value, inputs.entries[i].key));
      }
      found = found || needed[i];
    }
  }
  Node map{Node::Kind::map, {}};
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) map.entries.push_back(inputs.entries[i]);
  }
  return map;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "\"";
}

/// The lines of a map, each after `indent`.
std::string block_text(const Node& map, const std::string& indent) {
  std::string text;
  for (const Entry& entry : map.entries) text += indent + entry.key + ": " + flow_text(entry.value) + "\n";
  return text;
}

std::string stage_text(const Node& stage) {
  std::string text;
  for (const Entry& entry : stage.entries) {
    text += (text.empty() ? "  - " : "    ") + entry.key + ":";
    if (entry.value.kind == Node::Kind::map) text += "\n" + block_text(entry.value, "      ");
    else text += " " + flow_text(entry.value) + "\n";
  }
  return text;
}

/// The text of a whole job: inputs and keys of stages line by line.
std::string job_text(const Node& job) {
  std::string text;
  for (const Entry& entry : job.entries) {
    text += entry.key + ":";
    if (entry.key == "inputs") {
      text += "\n" + block_text(entry.value, "  ");
    } else if (entry.key == "stages") {
      text += "\n";
      for (const Node& stage : entry.value.items) text += stage_text(stage);
    } else {
      text += " " + flow_text(entry.value) + "\n";
    }
  }
  return text;
}

}  // namespace

MapExamples::MapExamples(const std::vector<std::string>& texts, const std::vector<Parameter>& parameters) {
  for (const std::string& text : texts) {
    const bool complete = text.starts_with("{");
    Node map = parsed(complete ? text : "{" + text + "}");
    if (!complete && !maps_.empty()) {
      Node whole = maps_.front();
      lay_over(whole, map);
      map = std::move(whole);
    }
    maps_.push_back(std::move(map));
  }
  if (maps_.empty()) return;
  for (const Parameter& parameter : parameters) {
    const std::string value = parameter.default_text ? made_up(parameter) : "";
    if (value.empty() || find(parameter.name)) continue;
    Node whole = maps_.front();
    if (!is_pattern(parameter.name)) lay_over(whole, map_of(parameter.name, value));
    else if (!set_chosen(whole, parameter.name, value)) continue;
    maps_.push_back(std::move(whole));
  }
}

const Node* MapExamples::find(const std::string& key) const {
  for (const Node& map : maps_) {
    if (const Node* found = find_setting(map, key)) return found;
  }
  return nullptr;
}

std::string MapExamples::value_of(const std::string& key) const {
  const Node* found = find(key);
  return found ? flow_text(*found) : "";
}

MapExamples examples_of(const StageDeclaration& stage, const ProblemDeclaration* problem) {
  return {(problem ? problem->example : stage.example).settings, parameters_of(stage, problem)};
}

std::vector<std::string> example_jobs(const StageDeclaration& stage, const ProblemDeclaration* problem,
                                      const MapExamples& examples) {
  const Example& declared = problem ? problem->example : stage.example;
  const Node inputs = parsed("{" + declared.inputs + "}");
  std::vector<std::string> jobs;
  for (const Node& settings : examples.maps()) {
    Node map{Node::Kind::map, {}};
    if (problem) map.entries.push_back({stage.selector, {}, {Node::Kind::scalar, {}, problem->name}});
    lay_over(map, settings);
    Node step{Node::Kind::map, {}};
    step.entries.push_back({"name", {}, {Node::Kind::scalar, {}, "example"}});
    step.entries.push_back({stage.name, {}, std::move(map)});
    Node stages{Node::Kind::list, {}};
    stages.items.push_back(std::move(step));
    Node job{Node::Kind::map, {}};
    Node read = inputs_for(settings, inputs);
    if (!read.entries.empty()) job.entries.push_back({"inputs", {}, std::move(read)});
    job.entries.push_back({"stages", {}, std::move(stages)});
    job.entries.push_back({"output", {}, {Node::Kind::scalar, {}, "example.h5"}});
    jobs.push_back(job_text(job));
  }
  return jobs;
}

std::string example_job() { return job_text(parsed("{" + job_example() + "}")); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string flow_text(const Node& node) {
  std::string text;
  switch (node.kind) {
    case Node::Kind::null:
      return "~";
    case Node::Kind::scalar:
      return node.quoted ? quoted(node.text) : node.text;
    case Node::Kind::list:
      for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + flow_text(item);
      return "[" + text + "]";
    case Node::Kind::map:
      for (const Entry& entry : node.entries) {
        text += (text.empty() ? "" : ", ") + entry.key + ": " + flow_text(entry.value);
      }
      return "{" + text + "}";
  }
  return text;
}

}  // namespace terrace::job
