#include "pipeline/app/program.hpp"

#include <algorithm>
#include <new>
#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

int report(Session& session, const JobError& error) {
  for (const std::string& message : error.messages()) session.error(message);
  const std::size_t count = error.messages().size();
  if (count > 1) session.error(std::to_string(count) + " errors");
  return exit_wrong;
}

/// Global options; the rest is the commands' own.
struct Options {
  std::string log;
};

void add_options(CLI::App& program, Session& session, Options& options) {
  program.description("Terrace: dynamic programs and stencils larger than memory");
  program.require_subcommand(1);
  program.fallthrough();
  program.set_version_flag("--version", "terrace " + version(), "Print the version and end");
  program.add_flag("--quiet", session.quiet, "Only errors and warnings beside what was asked for");
  program.add_option("--log", options.log, "Write what happens to this file, too")->type_name("FILE");
  program.footer(
      "Exit codes: 0 done, 1 failed, 2 the job or the command is wrong,\n"
      "75 stopped at a checkpoint, run it again.");
}

/// What to say where no known command was named.
std::string no_command(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands(nullptr)) names.push_back(command->get_name());
  const auto rest = program.remaining();
  if (rest.empty()) return "name a command: " + list_names(names);
  const std::string near = did_you_mean(rest.front(), names);
  return "there is no command '" + rest.front() + "'" + (near.empty() ? "; there are " + list_names(names) : near);
}

int parse(CLI::App& program, std::vector<std::string> arguments, Session& session) {
  // CLI11 takes the arguments last first.
  std::reverse(arguments.begin(), arguments.end());
  try {
    program.parse(arguments);
  } catch (const CLI::RequiredError& error) {
    const bool named = !program.get_subcommands().empty();
    session.error(named ? error.what() : no_command(program));
    return exit_wrong;
  } catch (const CLI::ParseError& error) {
    return program.exit(error, session.out, session.err) == 0 ? exit_done : exit_wrong;
  }
  return exit_done;
}

}  // namespace

std::string version() { return TERRACE_VERSION; }

int run_command(Session& session) {
  try {
    return session.command();
  } catch (const JobError& error) {
    return report(session, error);
  } catch (const Stopped& stopped) {
    session.error(stopped.what());
    return exit_stopped;
  } catch (const std::bad_alloc&) {
    session.error("terrace: out of memory; give the job a smaller memory.host, or free some");
  } catch (const std::exception& error) {
    session.error(std::string("terrace: ") + error.what());
  }
  return exit_failed;
}

int run_program(const std::vector<std::string>& arguments, Session& session) {
  CLI::App program("", "terrace");
  Options options;
  add_options(program, session, options);
  add_check_command(program, session);
  add_plan_command(program, session);
  add_run_command(program, session);
  add_show_command(program, session);
  add_problems_commands(program, session);
  add_devices_command(program, session);
  const int parsed = parse(program, arguments, session);
  if (parsed != exit_done || !session.command) return parsed;
  try {
    session.open_log(options.log);
  } catch (const JobError& error) {
    return report(session, error);
  }
  return run_command(session);
}

}  // namespace terrace::app
