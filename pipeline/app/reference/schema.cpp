#include "pipeline/app/reference/schema.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "pipeline/app/reference/keys.hpp"
#include "pipeline/app/reference/placeholders.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/job/yaml/declared_names.hpp"
#include "pipeline/job/yaml/reader.hpp"
#include "pipeline/job/yaml/scalar.hpp"
#include "pipeline/job/yaml/settings.hpp"

namespace terrace::app {
namespace {

using nlohmann::json;

constexpr const char* identifier_pattern = "^[A-Za-z_][A-Za-z0-9_]*$";
constexpr const char* name_pattern = "^[A-Za-z0-9_-]+$";
// Texts of numbers: readers of YAML 1.1 take 1e9 for one.
constexpr const char* number_pattern = "^[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?$|^[-+]?\\.?inf$";
constexpr const char* count_pattern = "^[-+]?[0-9]+(\\.[0-9]*)?([eE][-+]?[0-9]+)? *([kKMGT]|[KMGT]i)?$";
constexpr const char* size_pattern = "^[0-9]+(\\.[0-9]*)?([eE][-+]?[0-9]+)? *([kKMGT]|[KMGT]i)?B?$";
constexpr const char* duration_pattern = "^([0-9]+(\\.[0-9]*)?([eE][-+]?[0-9]+)? *(ms|s|min|h|d) *)+$";

json any_of(std::vector<json> choices) { return choices.size() == 1 ? choices[0] : json{{"anyOf", choices}}; }

json text_like(const char* pattern) { return {{"type", "string"}, {"pattern", pattern}}; }

/// A scalar that the program takes as text, however readers of YAML see it.
json any_text() { return {{"type", json::array({"string", "number", "boolean"})}}; }

json bounded(json type, const Parameter& parameter) {
  if (std::fabs(parameter.minimum) < job::no_bound) type["minimum"] = parameter.minimum;
  if (std::fabs(parameter.maximum) < job::no_bound) type["maximum"] = parameter.maximum;
  return type;
}

json number(const char* type, const char* pattern, const Parameter& parameter) {
  return any_of({bounded({{"type", type}}, parameter), text_like(pattern)});
}

json list_of(const json& items) { return {{"type", "array"}, {"items", items}}; }

json list_or_one(const json& item) { return any_of({list_of(item), item}); }

json words(const std::vector<std::string>& texts) { return {{"enum", texts}}; }

json one_face(const Parameter& parameter) {
  const json value = {{"type", "object"},
                      {"properties", {{"value", number("number", number_pattern, parameter)}}},
                      {"required", {"value"}},
                      {"additionalProperties", false}};
  return any_of({words(job::words_of(parameter)), value});
}

json range_of(const json& limit) {
  json range = list_of(limit);
  range["minItems"] = range["maxItems"] = 2;
  return range;
}

std::vector<std::string> element_types() {
  std::vector<std::string> names;
  for (int type = 0; type <= static_cast<int>(ElementType::f64); ++type) {
    names.emplace_back(name_of(static_cast<ElementType>(type)));
  }
  return names;
}

/// Bounds of the number of names or items.
json numbered(json type, const Parameter& parameter, const char* least, const char* most) {
  if (parameter.minimum > 0) type[least] = static_cast<std::int64_t>(parameter.minimum);
  if (parameter.maximum < job::no_bound) type[most] = static_cast<std::int64_t>(parameter.maximum);
  return type;
}

/// Values of a parameter, without the words that may stand in their place.
json schema_of_values(const Parameter& parameter) {
  const auto integers = [&] { return number("integer", count_pattern, parameter); };
  const auto numbers = [&] { return number("number", number_pattern, parameter); };
  switch (parameter.kind) {
    case ParameterKind::integer:
      return bounded({{"type", "integer"}}, parameter);
    case ParameterKind::count:
      return integers();
    case ParameterKind::number:
      return numbers();
    case ParameterKind::size:
      return number("integer", size_pattern, parameter);
    case ParameterKind::duration:
      return text_like(duration_pattern);
    case ParameterKind::choice:
      return words(job::words_of(parameter));
    case ParameterKind::flag:
      return {{"type", "boolean"}};
    case ParameterKind::type:
      return words(element_types());
    case ParameterKind::integers:
      return list_of(integers());
    case ParameterKind::numbers:
      return list_of(numbers());
    case ParameterKind::decimals:
      return list_or_one(any_of({{{"type", "number"}}, text_like(number_pattern), words({"nan", ".nan"})}));
    case ParameterKind::texts:
      return list_or_one(parameter.choices ? words(job::words_of(parameter)) : any_text());
    case ParameterKind::ranges:
      return any_of({list_of(range_of(integers())), range_of(integers())});
    case ParameterKind::vectors:
      return list_of(list_of(integers()));
    case ParameterKind::selection:
      return list_of(any_of({integers(), range_of(integers())}));
    case ParameterKind::node_pairs:
      return any_of({any_text(), list_of(range_of(any_of({{{"type", "integer"}}, any_text()})))});
    case ParameterKind::quantity:
      return any_of({bounded({{"type", "number"}}, parameter), {{"type", "string"}}});
    case ParameterKind::quantities:
      return list_or_one(any_of({bounded({{"type", "number"}}, parameter), {{"type", "string"}}}));
    case ParameterKind::faces: {
      const json face = one_face(parameter);
      return any_of({face, list_of(any_of({face, range_of(face)}))});
    }
    case ParameterKind::names:
      return numbered({{"type", "object"}, {"propertyNames", {{"pattern", identifier_pattern}}}}, parameter,
                      "minProperties", "maxProperties");
    case ParameterKind::items:
      return numbered({{"type", "array"}}, parameter, "minItems", "maxItems");
    case ParameterKind::array:
    case ParameterKind::text:
    case ParameterKind::file:
      break;
  }
  return any_text();
}

/// A scalar of YAML as JSON.
json json_of(const job::Node& node);

/// One number in place of a list, where an array may stand in its place, too.
json one_number(const Parameter& parameter) {
  if (parameter.kind == ParameterKind::integers) return number("integer", count_pattern, parameter);
  return schema_of_values(parameter);
}

json json_of_scalar(const job::Node& node) {
  if (const auto flag = job::read_flag(node); flag.valid) return flag.value;
  if (const auto whole = job::read_integer(node); whole.valid) return whole.value;
  if (const auto real = job::read_number(node); real.valid && std::isfinite(real.value)) return real.value;
  return node.text;
}

json json_of(const job::Node& node) {
  json value;
  if (node.kind == job::Node::Kind::scalar) return json_of_scalar(node);
  if (node.kind == job::Node::Kind::list) value = json::array();
  if (node.kind == job::Node::Kind::map) value = json::object();
  for (const job::Node& item : node.items) value.push_back(json_of(item));
  for (const job::Entry& entry : node.entries) value[entry.key] = json_of(entry.value);
  return value;
}

json key_schema(const Parameter& parameter, const job::MapExamples& examples) {
  json schema = schema_of_values(parameter);
  const bool words_apart = parameter.choices && parameter.kind != ParameterKind::choice &&
                           parameter.kind != ParameterKind::texts && parameter.kind != ParameterKind::faces;
  if (job::takes_array(parameter)) schema = any_of({schema, one_number(parameter), any_text()});
  else if (words_apart) schema = any_of({schema, words(job::words_of(parameter))});
  schema["description"] = parameter.help;
  if (parameter.default_text && *parameter.default_text != '\0') {
    const job::Sources sources("declaration", parameter.default_text, {});
    job::Complaints complaints(sources);
    schema["default"] = json_of(*job::default_node(parameter, complaints));
  }
  if (const job::Node* example = examples.find(parameter.name)) schema["examples"] = json::array({json_of(*example)});
  return schema;
}

json empty_map() { return {{"type", "object"}, {"properties", json::object()}, {"additionalProperties", false}}; }

bool is_map(const json& schema) { return schema.contains("properties"); }

bool is_value_or_map(const json& schema) {
  return schema.contains("anyOf") && schema["anyOf"].size() == 2 && is_map(schema["anyOf"][1]);
}

/// The schema of a key that takes a value of its own or a map.
json value_or_map(const json& value, const json& map) {
  json both = {{"anyOf", {value, map}}};
  for (const char* shared : {"description", "examples"}) {
    if (!value.contains(shared)) continue;
    both[shared] = value[shared];
    both["anyOf"][0].erase(shared);
  }
  return both;
}

/// The object in which a schema of `names` or `items` declares what is at its names or in its entries.
json& chosen_in(json& schema) { return schema.contains("anyOf") ? schema["anyOf"][0] : schema; }

/// The map at a key, made if it is missing.
json& map_at(json& found) {
  if (found.is_null()) found = empty_map();
  if (is_map(found)) return found;
  if (!is_value_or_map(found)) found = value_or_map(found, empty_map());
  return found["anyOf"][1];
}

/// A map, and the schema of one of its keys.
struct Slot {
  json* map;  // null: what is at each of names, or each of items
  json* schema;
};

/// The place of a declared name in the schema of the map that holds it. `name` keeps its last part.
Slot slot_of(json& map, std::string& name) {
  json* at = &map;
  while (true) {
    const std::size_t end = std::min(name.find_first_of(".["), name.size());
    json* schema = &(*at)["properties"][name.substr(0, end)];
    bool chosen = false;
    std::size_t rest = end;
    // "arrays.*" and "sources[]" are parts of the schema of the key itself.
    for (; name.compare(rest, 2, ".*") == 0 || name.compare(rest, 2, "[]") == 0; rest += 2) {
      schema = &chosen_in(*schema)[name[rest] == '.' ? "additionalProperties" : "items"];
      chosen = true;
    }
    if (rest == name.size()) {
      name.resize(end);
      return {chosen ? nullptr : at, schema};
    }
    name.erase(0, rest + 1);
    at = &map_at(*schema);
  }
}

/// The parameters, each pattern behind what holds it.
std::vector<Parameter> outer_first(std::vector<Parameter> parameters) {
  const auto depth = [](const Parameter& parameter) {
    return job::is_pattern(parameter.name) ? std::string_view(parameter.name).size() : 0;
  };
  std::stable_sort(parameters.begin(), parameters.end(),
                   [&](const Parameter& a, const Parameter& b) { return depth(a) < depth(b); });
  return parameters;
}

json map_schema(const KeySet& keys) {
  json map = empty_map();
  for (const Parameter& parameter : outer_first(keys.parameters)) {
    std::string name = parameter.name;
    const Slot slot = slot_of(map, name);
    const json value = key_schema(parameter, keys.examples);
    *slot.schema = slot.schema->is_null() ? value : value_or_map(value, *slot.schema);
    if (!parameter.default_text && slot.map) (*slot.map)["required"].push_back(name);
  }
  return map;
}

json input_schema(std::span<const io::InputKind> kinds) {
  std::vector<json> schemas;
  for (const io::InputKind& kind : kinds) {
    json schema = map_schema(keys_of(kind));
    schema["title"] = kind.name;
    schema["description"] = kind.help;
    schemas.push_back(std::move(schema));
  }
  return any_of(std::move(schemas));
}

/// Keys that may stand in the map of a kind or next to its name.
void add_common(json& map) {
  for (const Parameter& parameter : job::stage_parameters()) {
    if (parameter.default_text) map["properties"][parameter.name] = key_schema(parameter, keys_of_stages().examples);
  }
}

/// The map of one problem; null: of a stage without.
json problem_schema(const job::StageDeclaration& stage, const job::ProblemDeclaration* problem) {
  json map = map_schema(keys_of(stage, problem));
  map["description"] = problem ? problem->summary : stage.help;
  add_common(map);
  if (!problem) return map;
  map["title"] = problem->name;
  map["properties"][stage.selector] = {{"const", problem->name}};
  if (problem->name != stage.problem_if_absent) map["required"].push_back(stage.selector);
  return map;
}

json kind_schema(const job::StageDeclaration& stage) {
  std::vector<json> schemas;
  for (const job::ProblemDeclaration& problem : stage.problems) schemas.push_back(problem_schema(stage, &problem));
  if (stage.problems.empty()) schemas.push_back(problem_schema(stage, nullptr));
  json schema = any_of(std::move(schemas));
  schema["description"] = stage.help;
  return schema;
}

/// One item of `stages`: a name and one kind.
json stage_schema(const job::StageTable& stages) {
  std::vector<json> schemas;
  for (const job::StageDeclaration& stage : stages.all()) {
    json item = map_schema(keys_of_stages());
    item["properties"]["name"]["pattern"] = name_pattern;
    // Which words they take, the map of the kind says; next to the name any.
    item["properties"]["schedule"] = item["properties"]["type"] = {{"type", "string"}};
    item["properties"][stage.name] = {{"$ref", "#/definitions/" + stage.name}};
    item["required"].push_back(stage.name);
    item["title"] = stage.name;
    schemas.push_back(std::move(item));
  }
  return any_of(std::move(schemas));
}

/// A batch: values by names, each a list or a pattern of files.
json sweep_schema() {
  const json value = {{"type", {"string", "number", "boolean"}}};
  const json values = any_of({{{"type", "array"}, {"minItems", 1}, {"items", value}}, {{"type", "string"}}});
  const json each = {{"type", "object"},
                     {"minProperties", 1},
                     {"propertyNames", {{"pattern", name_pattern}}},
                     {"additionalProperties", values}};
  return {{"type", "object"},
          {"properties", {{"each", each}, {"zip", {{"type", "boolean"}}}}},
          {"required", {"each"}},
          {"additionalProperties", false}};
}

}  // namespace

json job_schema(const job::StageTable& stages, std::span<const io::InputKind> kinds) {
  json schema = map_schema(keys_of_job());
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "A job of Terrace";
  for (const job::StageDeclaration& stage : stages.all()) schema["definitions"][stage.name] = kind_schema(stage);
  schema["definitions"]["input"] = input_schema(kinds);
  json parts;
  parts["inputs"] = {{"type", "object"},
                     {"propertyNames", {{"pattern", name_pattern}}},
                     {"additionalProperties", {{"$ref", "#/definitions/input"}}}};
  parts["stages"] = {{"type", "array"}, {"minItems", 1}, {"items", stage_schema(stages)}};
  parts["sweep"] = sweep_schema();
  for (const job::PartDeclaration& part : job::job_parts()) {
    parts[part.name]["description"] = part.help;
    schema["properties"][part.name] = parts.at(part.name);
    if (!part.default_text) schema["required"].push_back(part.name);
  }
  accept_placeholders(schema);
  schema["properties"]["sweep"] = parts["sweep"];
  schema["definitions"]["placeholder"] = placeholder_schema();
  return schema;
}

}  // namespace terrace::app
