// `terrace check`: loads a job, opens its inputs and plans it without reading large arrays.
#include <fmt/format.h>

#include <iterator>
#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/app/warnings.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {

int check(Session& session, const JobArguments& arguments) {
  const job::OpenJob open =
      job::load_and_open(arguments.path, arguments.settings, session.stages.declarations(), session.kinds, false);
  session.keep_log_apart(open.job);
  for (const std::string& warning : open.job.warnings) session.warn(warning);
  const auto warn = [&](const std::string& what) { session.warn(what); };
  warn_of_budgets(open.job, warn);
  check_plan(open, session.stages, warn);
  session.out << fmt::format("{} is fine: {}, {}\n", arguments.path, counted(std::ssize(open.job.inputs), "input"),
                             counted(std::ssize(open.job.stages), "stage"));
  return exit_done;
}

}  // namespace terrace::app
