// Examples of declared keys: given, laid over the first one, made up; and the jobs that they make.
#include <catch2/catch.hpp>

#include "pipeline/base/error.hpp"
#include "pipeline/job/examples.hpp"

using namespace terrace;
using namespace terrace::job;

namespace {

const std::vector<Parameter> parameters = {
    {"rows", ParameterKind::array, "what is read"},
    {"keep", ParameterKind::choice, "what is kept", "score", "score, table"},
    {"every", ParameterKind::count, "how often", "", nullptr, 2},
    {"exact", ParameterKind::flag, "whether it is exact", "true"},
    {"until.norm", ParameterKind::choice, "the norm", "max", "max, l2"},
    {"mask", ParameterKind::array, "what is left out", ""},
};

std::vector<std::string> texts_of(const MapExamples& examples) {
  std::vector<std::string> texts;
  for (const Node& map : examples.maps()) texts.push_back(flow_text(map));
  return texts;
}

StageDeclaration stage_with(Example example) {
  StageDeclaration stage;
  stage.name = "sweep";
  ProblemDeclaration problem;
  problem.name = "plain";
  problem.parameters = parameters;
  problem.example = std::move(example);
  stage.problems = {problem};
  return stage;
}

}  // namespace

TEST_CASE("Keys without an example get one with another value than the default") {
  const MapExamples examples({"{rows: a}"}, parameters);
  CHECK(texts_of(examples) == std::vector<std::string>{"{rows: a}", "{rows: a, keep: table}", "{rows: a, every: 2}",
                                                       "{rows: a, exact: false}", "{rows: a, until: {norm: l2}}"});
  CHECK(examples.value_of("rows") == "a");
  CHECK(examples.value_of("until.norm") == "l2");
  CHECK(examples.value_of("mask").empty());
  CHECK(examples.find("mask") == nullptr);
}

TEST_CASE("Examples are laid over the first one, or complete in braces") {
  const MapExamples examples(
      {"{rows: a}", "keep: table, every: 9", "{rows: \"b c\", exact: false, until: {norm: max}}"}, parameters);
  CHECK(texts_of(examples) == std::vector<std::string>{"{rows: a}", "{rows: a, keep: table, every: 9}",
                                                       "{rows: \"b c\", exact: false, until: {norm: max}}"});
  CHECK_THROWS_WITH(MapExamples({"{rows: [a}"}, parameters), Catch::Contains("declaration of an example"));
}

TEST_CASE("A key below names of choice has the example of the first of them that has it") {
  const std::vector<Parameter> nested = {
      {"arrays", ParameterKind::names, "the arrays"},
      {"arrays.*.from", ParameterKind::array, "what it begins as", ""},
      {"arrays.*.keep", ParameterKind::choice, "what is kept", "", "all, last"},
      {"arrays.*.rows[]", ParameterKind::numbers, "rows", ""},
  };
  const MapExamples examples({"{arrays: {a: {from: x}, b: {keep: last, rows: [[1], [2]]}}}"}, nested);
  CHECK(examples.value_of("arrays.*.from") == "x");
  CHECK(examples.value_of("arrays.*.keep") == "last");
  CHECK(examples.value_of("arrays.*.rows[]") == "[1]");
  CHECK(examples.maps().size() == 1);
}

TEST_CASE("Jobs of examples have the inputs that they read, and those that these are made of") {
  const StageDeclaration stage =
      stage_with({"a: {values: [1, 2]}, b: {generate: dna, mutate: {of: a, rate: 0.1}}, c: {values: 3}",
                  {"{rows: b}", "mask: c"}});
  const auto jobs = example_jobs(stage, &stage.problems[0], examples_of(stage, &stage.problems[0]));
  REQUIRE(jobs.size() >= 2);
  CHECK(jobs[0] ==
        "inputs:\n"
        "  a: {values: [1, 2]}\n"
        "  b: {generate: dna, mutate: {of: a, rate: 0.1}}\n"
        "stages:\n"
        "  - name: example\n"
        "    sweep:\n"
        "      problem: plain\n"
        "      rows: b\n"
        "output: example.h5\n");
  CHECK(jobs[1].find("  c: {values: 3}\n") != std::string::npos);
}

TEST_CASE("A problem without an example has no jobs") {
  const StageDeclaration stage = stage_with({});
  CHECK(example_jobs(stage, &stage.problems[0], examples_of(stage, &stage.problems[0])).empty());
}
