#include "pipeline/app/show/describe.hpp"

#include <sstream>

#include "pipeline/app/text_table.hpp"
#include "pipeline/job/yaml_value.hpp"

namespace terrace::app {
namespace {

std::string default_of(const Parameter& parameter) {
  if (!parameter.default_text) return "required";
  return *parameter.default_text == '\0' ? "-" : parameter.default_text;
}

TextTable parameter_table(const std::vector<Parameter>& parameters) {
  TextTable table{{"key", "default", "meaning"}, {}};
  for (const Parameter& parameter : parameters) {
    table.rows.push_back(
        {parameter.name, default_of(parameter), std::string(parameter.help) + " (" + job::expected(parameter) + ")"});
  }
  return table;
}

TextTable output_table(const std::vector<const job::OutputDeclaration*>& outputs) {
  TextTable table{{"dataset", "shape", "when", "meaning"}, {}};
  for (const job::OutputDeclaration* output : outputs) {
    table.rows.push_back(
        {output->name, output->shape, output->when.empty() ? "always" : output->when, output->meaning});
  }
  return table;
}

/// "`keep` (score, table)" for choices and faces, "`rows`" for other parameters.
std::string key_in_markdown(const Parameter& parameter) {
  std::string text = "`" + std::string(parameter.name) + "`";
  if (parameter.choices && (parameter.kind == ParameterKind::choice || parameter.kind == ParameterKind::faces))
    text += " (" + std::string(parameter.choices) + ")";
  return text;
}

/// "number": the word for the values of a kind of parameter.
const char* word_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::integer:
      return "whole number";
    case ParameterKind::number:
      return "number";
    case ParameterKind::text:
      return "text";
    case ParameterKind::choice:
      return "word";
    case ParameterKind::flag:
      return "true or false";
    case ParameterKind::array:
      return "input";
    case ParameterKind::size:
      return "size";
    case ParameterKind::count:
      return "count";
    case ParameterKind::duration:
      return "time";
    case ParameterKind::type:
      return "element type";
    case ParameterKind::integers:
    case ParameterKind::numbers:
    case ParameterKind::decimals:
    case ParameterKind::texts:
    case ParameterKind::ranges:
    case ParameterKind::quantities:
    case ParameterKind::selection:
    case ParameterKind::vectors:
      return "list";
    case ParameterKind::quantity:
      return "number or input";
    case ParameterKind::faces:
      return "word or list";
    case ParameterKind::node_pairs:
      return "input or list";
    case ParameterKind::file:
      break;
  }
  return "file";
}

TextTable key_table(const io::InputKind& kind) {
  TextTable table{{"key", "type", "default", "meaning"}, {}};
  for (const Parameter& parameter : kind.parameters) {
    table.rows.push_back({parameter.name, word_of(parameter.kind), default_of(parameter),
                          std::string(parameter.help) + " (" + job::expected(parameter) + ")"});
  }
  return table;
}

/// The lines of an explanation, each indented; continuation lines further.
std::string explanation_text(const std::string& explanation, std::size_t width) {
  std::string text;
  std::istringstream lines(explanation);
  for (std::string line; std::getline(lines, line);) text += (line.empty() ? "" : "  " + line) + "\n";
  return wrap_lines(text, width, 4);
}

std::vector<std::string> markdown_row(const job::StageDeclaration& stage, const job::ProblemDeclaration* problem) {
  std::string keys, outputs;
  for (const Parameter& parameter : job::parameters_of(stage, problem)) {
    keys += (keys.empty() ? "" : ", ") + key_in_markdown(parameter);
  }
  for (const job::OutputDeclaration* output : job::outputs_of(stage, problem)) {
    outputs += (outputs.empty() ? "" : ", ") + ("`" + output->name + "`");
    if (!output->when.empty()) outputs += " (`" + output->when + "`)";
  }
  return {"`" + (problem ? problem->name : stage.name) + "`", problem ? problem->summary : stage.help, keys, outputs};
}

}  // namespace

std::string list_problems(const job::StageDeclaration& stage, std::size_t width) {
  std::string text = wrap_lines(stage.name + ": " + stage.help, width, 2), group;
  TextTable table{{"", ""}, {}};
  for (const job::ProblemDeclaration& problem : stage.problems) {
    if (problem.group != group) {
      group = problem.group;
      table.rows.push_back({group, ""});
    }
    table.rows.push_back({(group.empty() ? "" : "  ") + problem.name, problem.summary});
  }
  return text + to_text(table, "  ", width);
}

std::string describe_problem(const job::StageDeclaration& stage, const job::ProblemDeclaration* problem,
                             std::size_t width) {
  const std::string summary = problem ? problem->name + ": " + problem->summary : stage.name + ": " + stage.help;
  std::string text = wrap_lines(summary, width, 2);
  text += "\n  " + stage.name + ": {" + (problem ? stage.selector + ": " + problem->name + ", " : "") + "...}\n\n";
  if (problem && !problem->explanation.empty()) text += explanation_text(problem->explanation, width) + "\n";
  text += to_text(parameter_table(job::parameters_of(stage, problem)), "  ", width);
  return text + "\n" + to_text(output_table(job::outputs_of(stage, problem)), "  ", width);
}

std::string describe_input(const io::InputKind& kind, std::size_t width) {
  return wrap_lines(std::string(kind.name) + ": " + kind.help, width, 2) + "\n  inputs: {name: " + kind.example +
         "}\n\n" + to_text(key_table(kind), "  ", width);
}

std::string markdown_input(const io::InputKind& kind) {
  return "**" + std::string(kind.name) + "**: " + kind.help + "; `inputs: {name: " + kind.example + "}`\n\n" +
         to_markdown(key_table(kind));
}

std::string markdown_problems(const job::StageDeclaration& stage) {
  TextTable table{{stage.problems.empty() ? "stage" : stage.selector, "what it computes", "keys", "datasets"}, {}};
  if (stage.problems.empty()) table.rows.push_back(markdown_row(stage, nullptr));
  for (const job::ProblemDeclaration& problem : stage.problems) table.rows.push_back(markdown_row(stage, &problem));
  return "**" + stage.name + "**: " + stage.help + "\n\n" + to_markdown(table);
}

}  // namespace terrace::app
