#include "pipeline/app/program.hpp"

#include <new>
#include <ostream>

#include "pipeline/app/command_line.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

int report(Session& session, const JobError& error) {
  for (const std::string& message : error.messages()) session.error(message);
  const std::size_t count = error.messages().size();
  if (count > 1) session.error(std::to_string(count) + " errors");
  return exit_wrong;
}

}  // namespace

std::string version() { return TERRACE_VERSION; }

int run_command(Session& session, const std::function<int()>& command) {
  try {
    return command();
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
  const CommandLine line = parse_command_line(arguments, session);
  if (!line.command) return line.exit_code;
  try {
    session.open_log(line.log);
  } catch (const JobError& error) {
    return report(session, error);
  }
  return run_command(session, line.command);
}

}  // namespace terrace::app
