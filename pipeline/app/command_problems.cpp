#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/describe.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

/// What one of the two commands was asked for.
struct Question {
  std::string selector;  // "problem" or "operator"
  std::string name;      // empty: all
  bool markdown = false;
};

std::vector<const job::StageDeclaration*> stages_of(const Session& session, const Question& question) {
  std::vector<const job::StageDeclaration*> stages;
  for (const job::StageDeclaration& stage : session.stages.declarations().all()) {
    if (stage.selector == question.selector) stages.push_back(&stage);
  }
  return stages;
}

int list_all(Session& session, const Question& question) {
  std::string text;
  for (const job::StageDeclaration* stage : stages_of(session, question)) {
    text += (text.empty() ? "" : "\n") + (question.markdown ? markdown_problems(*stage) : list_problems(*stage));
  }
  session.out << text;
  return exit_done;
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

int describe_one(Session& session, const Question& question) {
  const auto stages = stages_of(session, question);
  std::string text;
  for (const job::StageDeclaration* stage : stages) {
    const job::ProblemDeclaration* problem = stage->find_problem(question.name);
    if (!problem && stage->name != question.name) continue;
    text += text.empty() ? "" : "\n";
    if (problem || stage->problems.empty()) text += describe_problem(*stage, problem);
    else text += question.markdown ? markdown_problems(*stage) : list_problems(*stage);
  }
  if (text.empty()) {
    const auto names = known_names(stages);
    const std::string near = did_you_mean(question.name, names);
    throw JobError("there is no " + question.selector + " '" + question.name + "'" +
                   (near.empty() ? "; there are " + list_names(names) : near));
  }
  session.out << text;
  return exit_done;
}

void add(CLI::App& program, Session& session, const std::string& selector, const std::string& help) {
  CLI::App* command = program.add_subcommand(selector + "s", help);
  auto question = std::make_shared<Question>();
  question->selector = selector;
  command->add_option("NAME", question->name, "Show the keys and outputs of this " + selector);
  command->add_flag("--markdown", question->markdown, "As tables of Markdown");
  command->callback([&session, question] {
    session.command = [&, question] {
      return question->name.empty() ? list_all(session, *question) : describe_one(session, *question);
    };
  });
}

}  // namespace

void add_problems_commands(CLI::App& program, Session& session) {
  add(program, session, "problem", "List the problems that stages solve, or show one");
  add(program, session, "operator", "List the operators of stencils, or show one");
}

}  // namespace terrace::app
