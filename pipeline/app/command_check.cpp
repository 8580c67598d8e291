#include <fmt/format.h>

#include <iterator>
#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {

int check(Session& session, const JobArguments& arguments) {
  const job::OpenJob open =
      job::load_and_open(arguments.path, arguments.settings, session.stages.declarations(), session.kinds);
  session.keep_log_apart(open.job);
  for (const std::string& warning : open.job.warnings) session.warn(warning);
  check_plan(open, session.stages, [&](const std::string& what) { session.warn(what); });
  session.out << fmt::format("{} is fine: {}, {}\n", arguments.path, counted(std::ssize(open.job.inputs), "input"),
                             counted(std::ssize(open.job.stages), "stage"));
  return exit_done;
}

}  // namespace terrace::app
