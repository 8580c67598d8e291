#include "pipeline/app/reference/keys.hpp"

#include <cmath>

#include "pipeline/job/yaml/reader.hpp"
#include "pipeline/job/yaml/value.hpp"

namespace terrace::app {
namespace {

using nlohmann::json;

/// A kind of values: its name in JSON, and the word for people.
struct KindWords {
  const char* name;
  const char* word;
};

KindWords words_of_kind(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::integer:
      return {"integer", "whole number"};
    case ParameterKind::number:
      return {"number", "number"};
    case ParameterKind::text:
      return {"text", "text"};
    case ParameterKind::choice:
      return {"choice", "word"};
    case ParameterKind::flag:
      return {"flag", "true or false"};
    case ParameterKind::array:
      return {"array", "input"};
    case ParameterKind::size:
      return {"size", "size"};
    case ParameterKind::count:
      return {"count", "count"};
    case ParameterKind::duration:
      return {"duration", "time"};
    case ParameterKind::type:
      return {"type", "element type"};
    case ParameterKind::integers:
      return {"integers", "list"};
    case ParameterKind::numbers:
      return {"numbers", "list"};
    case ParameterKind::decimals:
      return {"decimals", "list"};
    case ParameterKind::texts:
      return {"texts", "list"};
    case ParameterKind::ranges:
      return {"ranges", "list"};
    case ParameterKind::quantities:
      return {"quantities", "list"};
    case ParameterKind::vectors:
      return {"vectors", "list"};
    case ParameterKind::selection:
      return {"selection", "list"};
    case ParameterKind::node_pairs:
      return {"node_pairs", "input or list"};
    case ParameterKind::quantity:
      return {"quantity", "number or input"};
    case ParameterKind::faces:
      return {"faces", "word or list"};
    case ParameterKind::names:
      return {"names", "map"};
    case ParameterKind::items:
      return {"items", "list"};
    case ParameterKind::file:
      break;
  }
  return {"file", "file"};
}

std::string default_of(const char* text) {
  if (!text) return "required";
  return *text == '\0' ? "-" : text;
}

json key_json(const Parameter& parameter, const job::MapExamples& examples) {
  json key = {{"name", parameter.name},
              {"type", words_of_kind(parameter.kind).name},
              {"required", parameter.default_text == nullptr},
              {"help", parameter.help}};
  if (parameter.default_text && *parameter.default_text != '\0') key["default"] = parameter.default_text;
  if (parameter.choices) key["choices"] = job::words_of(parameter);
  if (std::fabs(parameter.minimum) < job::no_bound) key["minimum"] = parameter.minimum;
  if (std::fabs(parameter.maximum) < job::no_bound) key["maximum"] = parameter.maximum;
  if (parameter.unit) key["unit"] = parameter.unit;
  const std::string example = examples.value_of(parameter.name);
  if (!example.empty()) key["example"] = example;
  return key;
}

}  // namespace

KeySet keys_of(const job::StageDeclaration& stage, const job::ProblemDeclaration* problem) {
  return {job::parameters_of(stage, problem), job::examples_of(stage, problem)};
}

KeySet keys_of(const io::InputKind& kind) {
  const std::vector<Parameter> parameters(kind.parameters.begin(), kind.parameters.end());
  return {parameters, job::MapExamples(job::lines_of(kind.example), parameters)};
}

KeySet keys_of_job() {
  const auto declared = job::job_parameters();
  const std::vector<Parameter> parameters(declared.begin(), declared.end());
  return {parameters, job::MapExamples({job::job_example()}, parameters)};
}

KeySet keys_of_stages() {
  const auto declared = job::stage_parameters();
  const std::vector<Parameter> parameters(declared.begin(), declared.end());
  return {parameters, job::MapExamples({"name: align"}, parameters)};
}

TextTable key_table(const KeySet& keys) {
  TextTable table{{"key", "type", "default", "example", "meaning"}, {}};
  for (const Parameter& parameter : keys.parameters) {
    const std::string example = keys.examples.value_of(parameter.name);
    table.rows.push_back(
        {parameter.name,
         (job::takes_array(parameter) ? "input or " : "") + std::string(words_of_kind(parameter.kind).word),
         default_of(parameter.default_text), example.empty() ? "-" : example,
         std::string(parameter.help) + " (" + job::expected(parameter) + ")"});
  }
  return table;
}

void add_parts(TextTable& table) {
  for (const job::PartDeclaration& part : job::job_parts()) {
    table.rows.push_back({part.name, part.type, default_of(part.default_text), part.example,
                          std::string(part.help) + " (" + part.expected + ")"});
  }
}

TextTable with_examples_in_meaning(TextTable table) {
  const std::size_t example = table.heading.size() - 2;
  const auto at = [&](std::vector<std::string>& row) { return row.begin() + static_cast<std::ptrdiff_t>(example); };
  table.heading.erase(at(table.heading));
  for (std::vector<std::string>& row : table.rows) {
    if (row[example] != "-") row.back() += "; example: " + row[example];
    row.erase(at(row));
  }
  return table;
}

json keys_json(const KeySet& keys) {
  json list = json::array();
  for (const Parameter& parameter : keys.parameters) list.push_back(key_json(parameter, keys.examples));
  return list;
}

}  // namespace terrace::app
