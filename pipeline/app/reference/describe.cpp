#include "pipeline/app/reference/describe.hpp"

#include "pipeline/app/reference/keys.hpp"
#include "pipeline/app/text_table.hpp"

namespace terrace::app {
namespace {

TextTable output_table(const std::vector<const job::OutputDeclaration*>& outputs) {
  TextTable table{{"dataset", "shape", "when", "meaning"}, {}};
  for (const job::OutputDeclaration* output : outputs) {
    table.rows.push_back(
        {output->name, output->shape, output->when.empty() ? "always" : output->when, output->meaning});
  }
  return table;
}

/// "`keep` (score, table)" for choices and faces, "`matrix` (an input, or blosum62)" for arrays with words in their
/// place, "`rows`" for other parameters.
std::string key_in_markdown(const Parameter& parameter) {
  std::string text = "`" + std::string(parameter.name) + "`";
  if (parameter.choices && (parameter.kind == ParameterKind::choice || parameter.kind == ParameterKind::faces))
    text += " (" + std::string(parameter.choices) + ")";
  if (parameter.choices && parameter.kind == ParameterKind::array) {
    text += " (an input, or " + std::string(parameter.choices) + ")";
  }
  return text;
}

/// The lines of a text, each after `indent`.
std::string indented(const std::string& text, const std::string& indent) {
  std::string result;
  for (const std::string& line : job::lines_of(text)) result += (line.empty() ? "" : indent + line) + "\n";
  return result;
}

/// The lines of an explanation, each indented; continuation lines further.
std::string explanation_text(const std::string& explanation, std::size_t width) {
  return wrap_lines(indented(explanation, "  "), width, 4);
}

std::string as_yaml(const std::string& text) { return "```yaml\n" + text + "```\n"; }

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
  const KeySet keys = keys_of(stage, problem);
  std::string text = wrap_lines(summary, width, 2);
  text += "\n  " + stage.name + ": {" + (problem ? stage.selector + ": " + problem->name + ", " : "") + "...}\n\n";
  if (problem && !problem->explanation.empty()) text += explanation_text(problem->explanation, width) + "\n";
  text += to_text(with_examples_in_meaning(key_table(keys)), "  ", width);
  text += "\n" + to_text(output_table(job::outputs_of(stage, problem)), "  ", width);
  const auto jobs = job::example_jobs(stage, problem, keys.examples);
  return jobs.empty() ? text : text + "\n  example:\n" + indented(jobs.front(), "    ");
}

std::string describe_input(const io::InputKind& kind, std::size_t width) {
  const KeySet keys = keys_of(kind);
  std::string text = wrap_lines(std::string(kind.name) + ": " + kind.help, width, 2) + "\n";
  for (const job::Node& example : keys.examples.maps()) {
    text += "  inputs: {name: " + job::flow_text(example) + "}\n";
  }
  return text + "\n" + to_text(with_examples_in_meaning(key_table(keys)), "  ", width);
}

std::string describe_job(std::size_t width) {
  TextTable table = key_table(keys_of_job());
  add_parts(table);
  return "a job:\n\n" + to_text(with_examples_in_meaning(table), "  ", width) +
         "\nevery stage of it, beside its kind:\n\n" +
         to_text(with_examples_in_meaning(key_table(keys_of_stages())), "  ", width) + "\nexample:\n" +
         indented(job::example_job(), "  ");
}

std::string markdown_job() {
  TextTable table = key_table(keys_of_job());
  add_parts(table);
  return "## Keys of a job\n\n" + to_markdown(table) + "\n## Keys of every stage\n\n" +
         to_markdown(key_table(keys_of_stages())) + "\n" + as_yaml(job::example_job());
}

std::string markdown_input(const io::InputKind& kind) {
  const KeySet keys = keys_of(kind);
  std::string examples;
  for (const job::Node& example : keys.examples.maps()) examples += "  - " + job::flow_text(example) + "\n";
  return "### Input `" + std::string(kind.name) + "`\n\n" + kind.help + "\n\n" + to_markdown(key_table(keys)) + "\n" +
         as_yaml(examples);
}

std::string markdown_problems(const job::StageDeclaration& stage) {
  TextTable table{{stage.problems.empty() ? "stage" : stage.selector, "what it computes", "keys", "datasets"}, {}};
  if (stage.problems.empty()) table.rows.push_back(markdown_row(stage, nullptr));
  for (const job::ProblemDeclaration& problem : stage.problems) table.rows.push_back(markdown_row(stage, &problem));
  return "**" + stage.name + "**: " + stage.help + "\n\n" + to_markdown(table);
}

std::string markdown_problem(const job::StageDeclaration& stage, const job::ProblemDeclaration* problem) {
  const KeySet keys = keys_of(stage, problem);
  std::string text = "### Stage `" + stage.name + "`" +
                     (problem ? ", " + stage.selector + " `" + problem->name + "`" : "") + "\n\n" +
                     (problem ? problem->summary : stage.help) + "\n\n";
  if (problem && !problem->explanation.empty()) text += indented(problem->explanation, "    ") + "\n";
  text += to_markdown(key_table(keys)) + "\n" + to_markdown(output_table(job::outputs_of(stage, problem)));
  const auto jobs = job::example_jobs(stage, problem, keys.examples);
  return jobs.empty() ? text : text + "\n" + as_yaml(jobs.front());
}

}  // namespace terrace::app
