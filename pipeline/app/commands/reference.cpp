// `terrace reference`: all keys of jobs, inputs and stages as one page.
#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/reference/describe.hpp"
#include "pipeline/run/build_id.hpp"

namespace terrace::app {

int reference(Session& session) {
  session.out << "# Reference of jobs for Terrace " << run::version_text() << "\n\n"
              << markdown_job() << "\n## Inputs\n";
  for (const io::InputKind& kind : session.kinds) session.out << "\n" << markdown_input(kind);
  session.out << "\n## Stages\n";
  for (const job::StageDeclaration& stage : session.stages.declarations().all()) {
    if (stage.problems.empty()) session.out << "\n" << markdown_problem(stage, nullptr);
    for (const job::ProblemDeclaration& problem : stage.problems) {
      session.out << "\n" << markdown_problem(stage, &problem);
    }
  }
  return exit_done;
}

}  // namespace terrace::app
