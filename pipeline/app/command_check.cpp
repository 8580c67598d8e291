#include <fmt/format.h>

#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {
namespace {

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

int check(Session& session, const JobArguments& arguments) {
  const job::OpenJob open =
      job::load_and_open(arguments.path, arguments.settings, session.stages.declarations(), session.kinds);
  for (const std::string& warning : open.job.warnings) session.warn(warning);
  session.out << fmt::format("{} is fine: {}, {}\n", arguments.path, counted(open.job.inputs.size(), "input"),
                             counted(open.job.stages.size(), "stage"));
  return exit_done;
}

}  // namespace

void add_check_command(CLI::App& program, Session& session) {
  CLI::App* command = program.add_subcommand("check", "Say what is wrong with a job, or that it is fine");
  auto arguments = add_job_arguments(*command);
  command->callback(
      [&session, arguments] { session.command = [&, arguments] { return check(session, *arguments); }; });
}

}  // namespace terrace::app
