// Maps whose keys the user chooses, and lists of maps.
#include <catch2/catch.hpp>
#include <ctime>

#include "pipeline/job/examples.hpp"
#include "pipeline/job/identity.hpp"
#include "pipeline/job/recorded_job.hpp"
#include "pipeline/job/same_stages.hpp"
#include "pipeline/job/yaml/declared_names.hpp"
#include "tests/unit/job/fixture.hpp"

namespace terrace::job {
namespace {

using Texts = std::vector<std::string>;

StageDeclaration formula_stage() {
  using enum ParameterKind;
  StageDeclaration stage;
  stage.name = "formula";
  stage.help = "cells by formulas";
  stage.parameters = {
      {"fields", names, "the arrays that fields begin as", nullptr, nullptr, 1, 8},
      {"fields.*", array, "an array"},
      {"cells", names, "the formulas"},
      {"cells.*", text, "a formula"},
      {"parameters", names, "numbers", "{}"},
      {"parameters.*", number, "a number"},
      {"speeds", names, "numbers or arrays", ""},
      {"speeds.*", quantity, "a number or an array"},
      {"tables", names, "what is filled", ""},
      {"tables.*.type", type, "of its elements"},
      {"tables.*.keep", texts, "what is kept", "last", "last, table, corner"},
      {"tables.*.outside", text, "the value outside", ""},
      {"tables.*.from", array, "an array that it begins as", ""},
      {"sources", items, "points", ""},
      {"sources[].at", integers, "where"},
      {"sources[].values", array, "an array, one value a step"},
      {"sources[].field", text, "the field", "u"},
      {"program", items, "statements", "[]"},
      {"program[]", text, "a statement"},
      {"program[].for", names, "loops", nullptr, nullptr, 1},
      {"program[].for.*", texts, "first and last"},
      {"program[].do", texts, "statements"},
  };
  stage.outputs = {{"FIELD", "as the field", "the cells", Ties::none},
                   {"steps", "one value", "steps made", Ties::none}};
  stage.outputs[0].names = [](const Settings& settings) { return settings.names("cells"); };
  stage.example = {
      "a: {generate: dna}",
      {"{fields: {u: a}, cells: {u: \"u + 1\"}, tables: {D: {type: i32}}, sources: [{at: [3], values: a}]}",
       "program: [\"u = 1\", {for: {i: [0, n]}, do: \"u = 2\"}]"}};
  stage.check = [](const std::string&, const Settings& settings) {
    std::vector<Finding> findings;
    for (const std::string& name : settings.names("cells")) {
      const std::string key = "cells." + name;
      const std::size_t at = settings.text(key).find('?');
      if (at == std::string::npos) continue;
      findings.push_back({key, "no such name", false, inside(settings.place(key), at)});
    }
    return findings;
  };
  return stage;
}

StageTable formula_table() {
  StageTable table;
  table.add(formula_stage());
  return table;
}

const std::string inputs = "inputs: {a: {generate: dna}, b: {generate: dna}, c: {generate: ramp}}\noutput: o.h5\n";

std::string job_of(const std::string& keys) {
  return inputs + "stages:\n- name: s\n  formula: {fields: {u: a, v: b}, cells: {u: u + 1, v: 1.0}" +
         (keys.empty() ? "" : ", ") + keys + "}\n";
}

Job load_formula(const TempFolder& folder, const std::string& text, const Texts& overrides = {}) {
  return load(folder.write("job.yaml", text), overrides, formula_table(), test_kinds);
}

Settings settings_of_job(const std::string& keys, const Texts& overrides = {}) {
  TempFolder folder;
  return load_formula(folder, job_of(keys), overrides).stages[0].settings;
}

/// The messages of a wrong job, without their excerpts.
Texts errors_of(const std::string& text, const Texts& overrides = {}) {
  TempFolder folder;
  Texts messages;
  try {
    load_formula(folder, text, overrides);
  } catch (const JobError& error) {
    const std::string prefix = folder.path().string() + "/";
    for (std::string message : error.messages()) {
      if (message.starts_with(prefix)) message.erase(0, prefix.size());
      messages.push_back(message.substr(0, message.find('\n')));
    }
  }
  return messages;
}

TEST_CASE("Names that users choose are settings, in the order of the job") {
  const Settings settings = settings_of_job("parameters: {z: 2, _a1: 0.5, B: 1e3}, speeds: {w: c, v: 2}");
  CHECK(settings.names("fields") == Texts{"u", "v"});
  CHECK(settings.text("fields.v") == "b");
  CHECK(settings.names("parameters") == Texts{"z", "_a1", "B"});
  CHECK(settings.number("parameters._a1") == 0.5);
  CHECK(settings.text("speeds.w") == "c");
  CHECK(settings.number("speeds.v") == 2);
  CHECK(settings.text("cells.u") == "u + 1");
  CHECK(settings.text("cells.v") == "1.0");
  CHECK(settings.place("cells.v").text.ends_with("job.yaml:5:56"));
  CHECK(element_of(settings.place("cells"), 1).text.ends_with("job.yaml:5:53"));
  CHECK_FALSE(settings.has("sources"));
  CHECK(settings.count("sources") == 0);
  CHECK(settings.names("tables").empty());
}

TEST_CASE("Maps below chosen names have their defaults and required keys") {
  const Settings settings =
      settings_of_job("tables: {D: {type: i32, outside: i + j + 2, keep: [last, table]}, C: {from: c, type: f64}}");
  CHECK(settings.names("tables") == Texts{"D", "C"});
  CHECK(settings.text("tables.D.outside") == "i + j + 2");
  CHECK(settings.get<Texts>("tables.D.keep") == Texts{"last", "table"});
  CHECK(settings.get<Texts>("tables.C.keep") == Texts{"last"});
  CHECK(settings.place("tables.C.keep").text.empty());
  CHECK_FALSE(settings.has("tables.C.outside"));
  CHECK(settings.names("parameters").empty());
  CHECK(settings.has("parameters"));
}

TEST_CASE("Lists of maps and of values are settings with indices") {
  const Settings settings = settings_of_job(
      "sources: [{at: [3, 4], values: c, field: v}, {at: [5], values: a}], "
      "program: [x = 1, {for: {j: [1, n - 1], i: 0}, do: [y, z]}]");
  CHECK(settings.count("sources") == 2);
  CHECK(settings.get<std::vector<std::int64_t>>("sources[0].at") == std::vector<std::int64_t>{3, 4});
  CHECK(settings.text("sources[1].values") == "a");
  CHECK(settings.text("sources[1].field") == "u");
  CHECK(settings.count("program") == 2);
  CHECK(settings.text("program[0]") == "x = 1");
  CHECK(settings.names("program[1].for") == Texts{"j", "i"});
  CHECK(settings.get<Texts>("program[1].for.j") == Texts{"1", "n - 1"});
  CHECK(settings.get<Texts>("program[1].for.i") == Texts{"0"});
  CHECK(inside(element_of(settings.place("program[1].do"), 1), 0).text.ends_with("job.yaml:5:184"));
  CHECK(element_of(settings.place("program"), 1).text.ends_with("job.yaml:5:147"));
}

TEST_CASE("Wrong names, values below them and entries are refused at their place") {
  const auto said = [](const std::string& keys) {
    const Texts messages = errors_of(job_of(keys));
    REQUIRE(messages.size() == 1);
    return messages[0];
  };
  CHECK(said("parameters: {a-b: 1}") ==
        "job.yaml:5:75: the name 'a-b' in 'parameters' may have letters, digits and _ only, and no digit first");
  CHECK(said("parameters: {1a: 1}").starts_with("job.yaml:5:75: the name '1a'"));
  CHECK(said("parameters: {a.b: 1}").starts_with("job.yaml:5:75: the name 'a.b'"));
  CHECK(said("parameters: {'*': 1}").starts_with("job.yaml:5:75: the name '*'"));
  CHECK(said("parameters: {'': 1}").starts_with("job.yaml:5:75: the name ''"));
  CHECK(said("parameters: {a: 1, b: 2, a: 3}").starts_with("job.yaml:5:87: duplicate key 'a'"));
  CHECK(said("parameters: {a: x}") == "job.yaml:5:78: 'parameters.a' takes a number, not 'x'");
  CHECK(said("parameters: {a: ~}") == "job.yaml:5:75: 'parameters.a' takes a number, not nothing");
  CHECK(said("parameters: [a]") ==
        "job.yaml:5:74: 'parameters' takes a map with names of your choice, not a list of 1 value");
  CHECK(said("speeds: {a: wets}").starts_with("job.yaml:5:74: there is no array 'wets'"));
  CHECK(said("tables: {D: {}}") ==
        "job.yaml:5:74: stage 's' (formula) needs 'tables.D.type': of its elements (a type (u8, i8, u16, i16, u32, "
        "i32, u64, i64, f32, f64))");
  CHECK(said("tables: {D: {tpye: i32}}")
            .starts_with("job.yaml:5:75: unknown key 'tpye' in 'tables.D' of stage 's' "
                         "(formula); did you mean 'type'?"));
  CHECK(said("tables: {D: i32}") ==
        "job.yaml:5:74: 'tables.D' takes a map {type: ...} with type, keep, outside, from, not 'i32'");
  CHECK(said("tables: {D: {type: i32, keep: first}}").find("'tables.D.keep' takes a list of last, table, corner") !=
        std::string::npos);
  CHECK(said("tables: {D: {type: i32, from: d}}").starts_with("job.yaml:5:92: there is no array 'd'"));
  CHECK(said("sources: {at: [1]}") == "job.yaml:5:71: 'sources' takes a list, not a map");
  CHECK(said("sources: [3]") == "job.yaml:5:72: 'sources[0]' takes a map {at: ...} with at, values, field, not '3'");
  CHECK(said("sources: [{at: [1], values: a}, {at: [1]}]")
            .starts_with("job.yaml:5:94: stage 's' (formula) needs "
                         "'sources[1].values'"));
  CHECK(said("sources: [{at: [1], values: a, filed: u}]").find("unknown key 'filed' in 'sources[0]' of") !=
        std::string::npos);
  CHECK(said("program: [{for: {}, do: x}]") ==
        "job.yaml:5:78: 'program[0].for' takes a map with names of your choice, at least 1, not 0");
  CHECK(said("program: [[x]]") == "job.yaml:5:72: 'program[0]' takes a text, not a list of 1 value");
  CHECK(said("'program[]': x").starts_with("job.yaml:5:62: unknown key 'program[]'"));
  CHECK(said("parameters: {a: u[-1,0]}").find("a text with brackets, braces or commas needs quotes") !=
        std::string::npos);
  CHECK(said("souces: []").find("did you mean 'sources'?") != std::string::npos);
  const Texts empty = errors_of(inputs + "stages: [{name: s, formula: {cells: {u: ~}, fields: {}}}]\n");
  REQUIRE(empty.size() == 2);
  CHECK(empty[0] == "job.yaml:3:38: 'cells.u' takes a text, not nothing");
  CHECK(empty[1] == "job.yaml:3:53: 'fields' takes a map with names of your choice, 1 to 8, not 0");
}

TEST_CASE("Arrays below chosen names are read") {
  TempFolder folder;
  const Job job = load_formula(
      folder, job_of("speeds: {w: 1, v: c}, tables: {D: {type: i32, from: b}}, sources: [{at: [1], values: a}]"));
  CHECK(job.stages[0].arrays == Texts{"fields.u", "fields.v", "speeds.v", "tables.D.from", "sources[0].values"});
  CHECK(job.warnings.empty());
  const std::string later = job_of("") + "- name: t\n  formula: {fields: {p: s/u}, cells: {p: p}}\n";
  CHECK(load_formula(folder, later).stages[1].arrays == Texts{"fields.p"});
  CHECK(load_formula(folder, later).stages[0].outputs == Texts{"u", "v", "steps"});
  for (const std::string name : {"w", "FIELD"}) {
    const Texts wrong =
        errors_of(job_of("") + "- name: t\n  formula: {fields: {p: s/" + name + "}, cells: {p: p}}\n");
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0] == "job.yaml:7:25: stage 's' writes no '" + name + "'; it writes u, v, steps");
  }
}

TEST_CASE("The command line sets values below chosen names and in entries of lists") {
  const std::string keys = "sources: [{at: [3, 4], values: c}, {at: [5], values: a}]";
  const Settings settings =
      settings_of_job(keys, {"stages.s.cells.u=u - 1", "stages.s.parameters.Du=0.5", "stages.s.sources[1].at=[7, 8]",
                             "stages.s.sources[0].at[1]=9", "stages.s.speeds={x: 1}"});
  CHECK(settings.text("cells.u") == "u - 1");
  CHECK(settings.names("cells") == Texts{"u", "v"});
  CHECK(settings.names("parameters") == Texts{"Du"});
  CHECK(settings.get<std::vector<std::int64_t>>("sources[1].at") == std::vector<std::int64_t>{7, 8});
  CHECK(settings.get<std::vector<std::int64_t>>("sources[0].at") == std::vector<std::int64_t>{3, 9});
  CHECK(settings.number("speeds.x") == 1);
  const auto said = [&](const std::string& setting) {
    const Texts messages = errors_of(job_of(keys), {setting});
    REQUIRE(messages.size() == 1);
    CHECK(messages[0].starts_with("--set " + setting + ": "));
    return messages[0].substr(setting.size() + 8);
  };
  CHECK(said("stages.s.sources[2].at=[1]") == "'sources' has no entry [2]: it is a list of 2 values, counted from 0");
  CHECK(said("stages.s.cells[0]=x") == "'cells' has no entry [0]: it is no list");
  CHECK(said("stages.s.cells.u=~") == "'cells.u' takes a text, not nothing");
  CHECK(said("stages.s.cells.u-1=x").starts_with("the name 'u-1' in 'cells' may have"));
  CHECK(said("stages[0].x=1") == "the job has no stage '[0]'; its stages: s");
}

TEST_CASE("A finding inside of a text is reported there") {
  TempFolder folder;
  const auto said = [&](const std::string& text, const Texts& overrides = {}) {
    try {
      load_formula(folder, text, overrides);
    } catch (const JobError& error) {
      return error.messages().front().substr(error.messages().front().rfind("job.yaml"));
    }
    return std::string();
  };
  const std::string block =
      inputs +
      "stages:\n- name: s\n  formula:\n    fields: {u: a, v: b, w: c}\n    cells:\n      u: 1\n      v: >-\n" +
      "        v +\n        w*?\n      w: w\n";
  CHECK(said(block) == "job.yaml:11:11: no such name\n  |         w*?\n  |           ^");
  const std::string setting = "stages.s.cells.v=\"v\\t+ ?\"";
  const Texts messages = [&] {
    try {
      load_formula(folder, block, {setting});
    } catch (const JobError& error) {
      return error.messages();
    }
    return Texts{};
  }();
  REQUIRE(messages.size() == 1);
  CHECK(messages[0] == "--set " + setting + ": no such name\n  | " + setting + "\n  | " + std::string(23, ' ') + "^");
}

TEST_CASE("The order of chosen names is part of a stage's identity") {
  TempFolder folder;
  const auto job = [&](const std::string& keys) { return load_formula(folder, job_of(keys)); };
  const std::string keys = "parameters: {a: 1, b: 2}", swapped = "parameters: {b: 2, a: 1}";
  const auto before = defining_json(job(keys));
  CHECK(defining_json(job("parameters:  {a: 1.0, 'b': 2}")) == before);
  CHECK(nlohmann::json::parse(before.dump()) == before);
  CHECK(before["stages"][0]["settings"]["parameters"] == nlohmann::json{"a", "b"});
  CHECK(before["stages"][0]["settings"]["parameters.b"] == 2.0);
  CHECK(first_difference(before, defining_json(job(swapped))) ==
        "stages.s.parameters was [\"a\",\"b\"] and is [\"b\",\"a\"]");
  const auto same = [&](const Job& now) {
    const auto no_difference = [](const std::string&, const auto&) { return std::optional<std::string>(); };
    return SameStages(before, now, no_difference, no_difference).earlier("s");
  };
  CHECK(same(job(keys)) == "s");
  CHECK(same(job(swapped)) == std::nullopt);
  CHECK(same(job("parameters: {a: 1, c: 2}")) == std::nullopt);
  // Other names of the same inputs are the same arrays.
  std::string renamed = job_of(keys);
  renamed.replace(renamed.find("inputs"), renamed.find('\n') - renamed.find("inputs"),
                  "inputs: {x: {generate: dna}, y: {generate: dna}, c: {generate: ramp}}");
  renamed.replace(renamed.find("u: a, v: b"), 10, "u: x, v: y");
  CHECK(same(load_formula(folder, renamed)) == "s");
}

TEST_CASE("A key of entries and named maps that an earlier version did not know is no difference at its default") {
  TempFolder folder;
  const Job now = load_formula(folder, job_of("tables: {D: {type: i32}}, sources: [{at: [1], values: a}]"));
  auto before = defining_json(now);
  auto& settings = before["stages"][0]["settings"];
  settings.erase("tables.D.keep");
  settings.erase("sources[0].field");
  CHECK(first_difference(before, defining_json(now), defaults_of(now)) == std::nullopt);
  const Job again = recorded_job(before, folder.path(), formula_table(), test_kinds);
  CHECK(defining_json(again) == defining_json(now));
}

TEST_CASE("A record of a job gives chosen names and entries back") {
  TempFolder folder;
  const Job job = load_formula(
      folder, job_of("parameters: {z: 1, a: 2}, speeds: {v: c, u: 2}, tables: {D: {type: i32, keep: [table]}}, "
                     "sources: [{at: [3, 4], values: c}], program: [x, {for: {j: [1, n]}, do: y}]"));
  const auto record = defining_json(job);
  const Job again = recorded_job(nlohmann::json::parse(record.dump()), folder.path(), formula_table(), test_kinds);
  CHECK(defining_json(again) == record);
  CHECK(again.stages[0].arrays == job.stages[0].arrays);
  CHECK(again.stages[0].settings.names("parameters") == Texts{"z", "a"});
  CHECK(again.stages[0].settings.count("program") == 2);
  auto unknown = record;
  unknown["stages"][0]["settings"]["program[1].while"] = "x";
  CHECK_THROWS_WITH(recorded_job(unknown, folder.path(), formula_table(), test_kinds),
                    Catch::Contains("the key 'program[1].while', which this version does not know"));
}

TEST_CASE("Declared names stand for settings") {
  CHECK(declares("cells.*", "cells.u"));
  CHECK_FALSE(declares("cells.*", "cells."));
  CHECK_FALSE(declares("cells.*", "cells.u.v"));
  CHECK(declares("tables.*.type", "tables.D.type"));
  CHECK_FALSE(declares("tables.*.type", "tables.D.keep"));
  CHECK(declares("sources[].at", "sources[12].at"));
  for (const char* wrong : {"sources.at", "sources[].at", "sources[1]at", "sources[1", "sources[x].at", "sources["}) {
    CHECK_FALSE(declares("sources[].at", wrong));
  }
  CHECK(declares("program[]", "program[0]"));
  CHECK(parent_of("tables.*.type") == "tables.*");
  CHECK(parent_of("cells.*") == "cells");
  CHECK(parent_of("program[]") == "program");
  CHECK(parent_of("steps") == "");
}

TEST_CASE("A declaration of names without what holds them is refused") {
  const auto add = [](std::vector<Parameter> parameters) {
    StageTable table;
    StageDeclaration stage;
    stage.name = "stage";
    stage.parameters = std::move(parameters);
    table.add(std::move(stage));
  };
  using enum ParameterKind;
  CHECK_THROWS_WITH(add({{"a.*", text, ""}}), Catch::Contains("'a.*' needs 'a' of kind names"));
  CHECK_THROWS_WITH(add({{"a", names, ""}, {"a[].x", text, ""}}), Catch::Contains("'a[].x' needs 'a' of kind items"));
  CHECK_THROWS_WITH(add({{"a", names, ""}, {"a.*.b.*", text, ""}}),
                    Catch::Contains("'a.*.b.*' needs 'a.*.b' of kind names"));
  CHECK_THROWS_WITH(add({{"a", names, "", "{b: 1}"}, {"a.*", text, ""}}), Catch::Contains("default of 'a' is wrong"));
  CHECK_THROWS_WITH(add({{"a", items, "", "{}"}, {"a[]", text, ""}}), Catch::Contains("default of 'a' is wrong"));
}

TEST_CASE("Examples of chosen names and entries are shown, and made up in the maps that are there") {
  const StageDeclaration stage = formula_stage();
  const MapExamples examples = examples_of(stage, nullptr);
  CHECK(examples.value_of("cells") == "{u: \"u + 1\"}");
  CHECK(examples.value_of("cells.*") == "\"u + 1\"");
  CHECK(examples.value_of("sources[].at") == "[3]");
  CHECK(examples.value_of("tables.*.keep") == "table");
  CHECK(examples.value_of("program[].for.*").empty());  // the first entry is no map
  TempFolder folder;
  for (const std::string& text : example_jobs(stage, nullptr, examples)) {
    INFO(text);
    CHECK_NOTHROW(load_formula(folder, text));
  }
}

TEST_CASE("A hundred thousand names, entries and errors in them are read in time") {
  TempFolder folder;
  const auto seconds_of = [&](const std::string& keys) {
    const std::clock_t start = std::clock();
    errors_of(job_of(keys), {});
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  constexpr int many = 100'000;
  std::string numbers, arrays, wrong, tables, sources;
  for (int i = 0; i < many; ++i) {
    const std::string name = "n" + std::to_string(i);
    numbers += name + ": 1, ";
    arrays += name + ": c, ";
    wrong += name + ": x, ";
    tables += name + ": {type: i32}, ";
    sources += "{at: [1], values: c}, ";
  }
  for (const std::string& keys :
       {"parameters: {" + numbers + "}", "speeds: {" + arrays + "}", "parameters: {" + wrong + "}",
        "speeds: {" + wrong + "}", "tables: {" + tables + "}", "sources: [" + sources + "]"}) {
    INFO(keys.substr(0, 40));
    CHECK(seconds_of(keys) < 20);
  }
}

}  // namespace
}  // namespace terrace::job
