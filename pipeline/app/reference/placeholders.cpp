#include "pipeline/app/reference/placeholders.hpp"

#include <string>

namespace terrace::app {
namespace {

using Json = nlohmann::json;

/// True if a schema describes scalars of which some are not taken: other texts than all.
bool is_narrow_scalar(const Json& schema) {
  if (schema.contains("enum") || schema.contains("const")) return true;
  const auto type = schema.find("type");
  if (type == schema.end() || !type->is_string()) return false;
  if (*type == "string") return schema.contains("pattern");
  return *type == "integer" || *type == "number" || *type == "boolean";
}

/// Turns the schema of a scalar into one of either, and leaves what it says to people at its top.
void make_either(Json& schema) {
  Json either = Json::object(), value = schema;
  for (const char* said : {"description", "default", "examples"}) {
    if (!schema.contains(said)) continue;
    either[said] = schema[said];
    value.erase(said);
  }
  either["anyOf"] = {value, {{"$ref", "#/definitions/placeholder"}}};
  schema = std::move(either);
}

void accept_in_choices(Json& choices) {
  bool scalar = false;
  for (Json& choice : choices) {
    if (is_narrow_scalar(choice)) scalar = true;
    else accept_placeholders(choice);
  }
  if (scalar) choices.push_back({{"$ref", "#/definitions/placeholder"}});
}

}  // namespace

void accept_placeholders(Json& schema) {
  if (!schema.is_object()) return;
  if (is_narrow_scalar(schema)) return make_either(schema);
  if (schema.contains("anyOf")) accept_in_choices(schema["anyOf"]);
  for (const char* part : {"items", "additionalProperties"}) {
    if (schema.contains(part)) accept_placeholders(schema[part]);
  }
  for (const char* part : {"properties", "definitions"}) {
    if (!schema.contains(part)) continue;
    for (auto& [name, value] : schema[part].items()) accept_placeholders(value);
  }
}

Json placeholder_schema() {
  return {{"type", "string"},
          {"pattern", R"(\$\{[A-Za-z0-9_-]+(\.(stem|name|index))?\})"},
          {"description", "a value of the sweep of a batch"}};
}

}  // namespace terrace::app
