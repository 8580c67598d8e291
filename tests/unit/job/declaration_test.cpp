// Declarations of stages: contradictions, defaults, conditions of outputs.
#include "pipeline/job/declaration.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/job/fixture.hpp"

namespace terrace::job {
namespace {

StageDeclaration stage_with(std::vector<Parameter> parameters) {
  StageDeclaration stage;
  stage.name = "stage";
  stage.parameters = std::move(parameters);
  return stage;
}

TEST_CASE("A stage can be added while jobs are read, and its declaration stays where it is") {
  StageTable table = test_table();
  const StageDeclaration* before = table.find("wavefront");
  for (int i = 0; i < 100; ++i) {
    StageDeclaration stage;
    stage.name = "added" + std::to_string(i);
    table.add(stage);
  }
  CHECK(table.find("wavefront") == before);
  CHECK(table.find("added99"));
  CHECK_FALSE(table.find("added100"));
}

TEST_CASE("A declaration that contradicts itself is refused") {
  StageTable table;
  CHECK_THROWS_WITH(table.add(stage_with({{"a", ParameterKind::flag, ""}, {"a", ParameterKind::flag, ""}})),
                    Catch::Contains("'a' is declared twice"));
  CHECK_THROWS_WITH(table.add(stage_with({{"a", ParameterKind::integer, "", "x"}})),
                    Catch::Contains("default of 'a' is wrong"));
  CHECK_THROWS_WITH(table.add(stage_with({{"a", ParameterKind::choice, "", "c", "a, b"}})),
                    Catch::Contains("default of 'a' is wrong"));
  CHECK_THROWS_WITH(table.add(stage_with({{"a", ParameterKind::number, "", "5", nullptr, 0, 1}})),
                    Catch::Contains("from 0 to 1"));
  table.add(stage_with({}));
  CHECK_THROWS_WITH(table.add(stage_with({})), Catch::Contains("declared twice"));
}

TEST_CASE("Every stage takes a schedule") {
  StageTable table;
  table.add(stage_with({}));
  REQUIRE(table.all()[0].parameters.size() == 1);
  CHECK(std::string(table.all()[0].parameters[0].name) == "schedule");
}

TEST_CASE("A problem may declare a parameter of its stage anew") {
  StageDeclaration stage = stage_with({{"a", ParameterKind::number, "stage's"}, {"b", ParameterKind::number, ""}});
  stage.problems = {{"p", "", "", {{"a", ParameterKind::number, "problem's"}}, {}}};
  const auto parameters = parameters_of(stage, &stage.problems[0]);
  REQUIRE(parameters.size() == 2);
  CHECK(std::string(parameters[1].help) == "problem's");
}

TEST_CASE("An output is written when its condition holds") {
  Settings settings;
  settings.set("keep", std::string("table"));
  settings.set("reduce", std::vector<std::string>{"sum", "minimum"});
  settings.set("free", false);
  settings.set("until", 0.5);
  const auto written = [&](const std::string& when) { return is_written({"o", "", "", Ties::none, when}, settings); };
  CHECK(written(""));
  CHECK(written("keep: table"));
  CHECK(written("keep: score, table"));
  CHECK_FALSE(written("keep: score"));
  CHECK(written("reduce: minimum"));
  CHECK_FALSE(written("reduce: diameter"));
  CHECK_FALSE(written("free"));
  CHECK(written("until"));
  CHECK_FALSE(written("absent"));
  CHECK_FALSE(written("absent: word"));
  CHECK_FALSE(is_written({"o", "", "", Ties::none, "", [](const Settings& s) { return s.has("absent"); }}, settings));
}

}  // namespace
}  // namespace terrace::job
