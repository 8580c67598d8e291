// The schema of maps whose keys the user chooses, and of lists of maps.
#include "pipeline/app/reference/schema.hpp"

#include <catch2/catch.hpp>

#include "pipeline/app/reference/describe.hpp"

namespace terrace::app {
namespace {

job::StageDeclaration stage_with(std::vector<Parameter> parameters) {
  job::StageDeclaration stage;
  stage.name = "formula";
  stage.help = "cells by formulas";
  stage.parameters = std::move(parameters);
  return stage;
}

nlohmann::json properties_of(const std::vector<Parameter>& parameters) {
  job::StageTable table;
  table.add(stage_with(parameters));
  return job_schema(table, {})["definitions"]["formula"]["properties"];
}

using enum ParameterKind;

TEST_CASE("The schema of chosen names says what a name is, and what stands there") {
  const auto keys =
      properties_of({{"cells.*", text, "a formula"}, {"cells", names, "the formulas", nullptr, nullptr, 1, 8}});
  CHECK(keys["cells"]["type"] == "object");
  CHECK(keys["cells"]["description"] == "the formulas");
  CHECK(keys["cells"]["propertyNames"]["pattern"] == "^[A-Za-z_][A-Za-z0-9_]*$");
  CHECK(keys["cells"]["minProperties"] == 1);
  CHECK(keys["cells"]["maxProperties"] == 8);
  CHECK(keys["cells"]["additionalProperties"]["description"] == "a formula");
  CHECK_FALSE(keys["cells"].contains("properties"));
}

TEST_CASE("The schema of maps at chosen names has their keys") {
  const auto keys = properties_of({{"tables", names, "tables", ""},
                                   {"tables.*.type", type, "its type"},
                                   {"tables.*.keep", texts, "what is kept", "last", "last, table"}});
  const auto& table = keys["tables"]["additionalProperties"];
  CHECK(table["required"] == nlohmann::json{"type"});
  CHECK(table["properties"]["keep"]["default"] == "last");
  CHECK(table["additionalProperties"] == false);
}

TEST_CASE("The schema of a list says what its entries are") {
  const auto keys = properties_of({{"program", items, "statements", "", nullptr, 1},
                                   {"program[]", text, "a statement"},
                                   {"program[].for", names, "loops"},
                                   {"program[].for.*", texts, "bounds"},
                                   {"sources", items, "points", "[]"},
                                   {"sources[].at", integers, "where"}});
  CHECK(keys["program"]["type"] == "array");
  CHECK(keys["program"]["minItems"] == 1);
  const auto& either = keys["program"]["items"]["anyOf"];
  REQUIRE(either.size() == 2);
  CHECK(either[0]["type"].is_array());
  CHECK(either[1]["required"] == nlohmann::json{"for"});
  CHECK(either[1]["properties"]["for"]["additionalProperties"]["description"] == "bounds");
  CHECK(keys["sources"]["items"]["properties"]["at"]["type"] == "array");
  CHECK(keys["sources"]["default"] == nlohmann::json::array());
}

TEST_CASE("Help shows chosen names and entries with their patterns") {
  const std::string help = describe_problem(
      stage_with(
          {{"cells", names, "the formulas"}, {"cells.*", text, "a formula"}, {"sources", items, "points", "[]"}}),
      nullptr, 100);
  CHECK(help.find("cells.*") != std::string::npos);
  CHECK(help.find("the formulas (a map with names of your choice)") != std::string::npos);
}

TEST_CASE("The schema takes a placeholder of a batch in place of every value") {
  const auto keys = properties_of({{"steps", count, "how often", "1", nullptr, 1},
                                   {"type", type, "its type"},
                                   {"name", text, "any text"},
                                   {"shape", integers, "extents", ""}});
  const nlohmann::json placeholder = {{"$ref", "#/definitions/placeholder"}};
  for (const char* key : {"steps", "type"}) CHECK(keys[key]["anyOf"].back() == placeholder);
  CHECK(keys["shape"]["items"]["anyOf"].back() == placeholder);
  CHECK(keys["steps"]["description"] == "how often");
  CHECK_FALSE(keys["name"].contains("anyOf"));
}

}  // namespace
}  // namespace terrace::app
