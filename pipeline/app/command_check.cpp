#include <fmt/format.h>

#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {
namespace {

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

int check(Session& session, const JobArguments& arguments) {
  const job::OpenJob open =
      job::load_and_open(arguments.path, arguments.settings, session.stages.declarations(), session.kinds);
  session.keep_log_apart(open.job);
  for (const std::string& warning : open.job.warnings) session.warn(warning);
  session.out << fmt::format("{} is fine: {}, {}\n", arguments.path, counted(open.job.inputs.size(), "input"),
                             counted(open.job.stages.size(), "stage"));
  return exit_done;
}

}  // namespace terrace::app
