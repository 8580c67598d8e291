// `terrace problems`: stages and problems with their keys and datasets, from their declarations.
#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/reference/describe.hpp"
#include "pipeline/app/reference/to_json.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

std::vector<const job::StageDeclaration*> stages_of(const Session& session, const ProblemsArguments& question) {
  std::vector<const job::StageDeclaration*> stages;
  for (const job::StageDeclaration& stage : session.stages.declarations().all()) {
    if (stage.selector == question.selector) stages.push_back(&stage);
  }
  return stages;
}

int list_all(Session& session, const ProblemsArguments& question) {
  if (question.form.json) return session.answer_json({{"stages", stages_json(stages_of(session, question), "")}});
  std::string text;
  for (const job::StageDeclaration* stage : stages_of(session, question)) {
    text += (text.empty() ? "" : "\n") +
            (question.form.markdown ? markdown_problems(*stage) : list_problems(*stage, session.columns));
  }
  session.out << text;
  return exit_done;
}

/// Hint for a name that the command does not know: the other command that knows it, similar names, or all names.
std::string hint_for(const Session& session, const ProblemsArguments& question,
                     const std::vector<std::string>& names) {
  for (const job::StageDeclaration& stage : session.stages.declarations().all()) {
    if (!stage.find_problem(question.name)) continue;
    const std::string article = stage.selector == "operator" ? "an " : "a ";
    return "; it is " + article + stage.selector + ": see `terrace " + stage.selector + "s " + question.name + "`";
  }
  const std::string near = did_you_mean(question.name, names);
  return near.empty() ? "; there are " + list_names(names) : near;
}

/// Every name that the command knows: stages, and their problems.
std::vector<std::string> known_names(const std::vector<const job::StageDeclaration*>& stages) {
  std::vector<std::string> names;
  for (const job::StageDeclaration* stage : stages) {
    names.push_back(stage->name);
    for (const job::ProblemDeclaration& problem : stage->problems) names.push_back(problem.name);
  }
  return names;
}

int describe_one(Session& session, const ProblemsArguments& question) {
  const auto stages = stages_of(session, question);
  std::string text;
  for (const job::StageDeclaration* stage : stages) {
    const job::ProblemDeclaration* problem = stage->find_problem(question.name);
    if (!problem && stage->name != question.name) continue;
    text += text.empty() ? "" : "\n";
    const bool one = problem || stage->problems.empty(), markdown = question.form.markdown;
    if (one && markdown) text += markdown_problem(*stage, problem);
    else if (one) text += describe_problem(*stage, problem, session.columns);
    else text += markdown ? markdown_problems(*stage) : list_problems(*stage, session.columns);
  }
  if (text.empty()) {
    throw JobError("there is no " + question.selector + " '" + question.name + "'" +
                   hint_for(session, question, known_names(stages)));
  }
  if (question.form.json) return session.answer_json({{"stages", stages_json(stages, question.name)}});
  session.out << text;
  return exit_done;
}

}  // namespace

int problems(Session& session, const ProblemsArguments& arguments) {
  return arguments.name.empty() ? list_all(session, arguments) : describe_one(session, arguments);
}

}  // namespace terrace::app
