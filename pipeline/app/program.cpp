#include "pipeline/app/program.hpp"

#include <poll.h>
#include <unistd.h>

#include <filesystem>
#include <new>
#include <ostream>
#include <system_error>

#include "pipeline/app/command_line.hpp"
#include "pipeline/app/out_of_memory.hpp"
#include "pipeline/app/progress/stop_signals.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/fault.hpp"

namespace terrace::app {
namespace {

int report(Session& session, const JobError& error) {
  for (const std::string& message : error.messages()) session.error(message);
  const std::size_t count = error.messages().size();
  if (count > 1) session.error(std::to_string(count) + " errors");
  return exit_wrong;
}

/// The operation that the system refused, and the remedy.
std::string describe(const std::filesystem::filesystem_error& error) {
  const bool named = !error.path1().empty();
  std::string text = (named ? error.path1().string() : "the current folder") + ": " + error.code().message();
  const std::errc reason = static_cast<std::errc>(error.code().value());
  if (!named) return text + "; change to one that is there";
  if (reason == std::errc::permission_denied || reason == std::errc::operation_not_permitted) {
    return text + "; look at the permissions of the file and of the folders above it";
  }
  if (reason == std::errc::filename_too_long) return text + "; take a shorter one";
  if (reason == std::errc::too_many_symbolic_link_levels) return text + "; links there lead in a circle";
  return text;
}

std::string describe(const std::system_error& error) {
  if (error.code() != std::errc::resource_unavailable_try_again) return error.what();
  return "the system starts no more threads: raise the limit of processes (ulimit -u), or end some";
}

/// True if standard output is a pipe whose reader has ended, such as `head`, which had enough.
bool reader_has_ended() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

/// The exit code of a command that has ended, once its standard output is written.
int after_output(Session& session, int code, Output output) {
  if (session.out.flush() || code != exit_done) return code;
  const std::string text = "standard output cannot be written";
  const bool is_said = !reader_has_ended();
  if (output == Output::extra) {
    if (is_said) session.warn(text + "; all else is done");
    return code;
  }
  if (is_said) session.error("terrace: " + text);
  return exit_failed;
}

}  // namespace

int run_command(Session& session, const std::function<int()>& command, std::vector<std::string>* said) {
  const auto tell = [&](const std::string& message, const char* name = "terrace: ") {
    session.error(name + message);
    if (said) said->push_back(message);
  };
  try {
    return command();
  } catch (const JobError& error) {
    if (said) said->insert(said->end(), error.messages().begin(), error.messages().end());
    return report(session, error);
  } catch (const Stopped& stopped) {
    tell(stopped.what(), "");
    return exit_stopped;
  } catch (const std::bad_alloc&) {
    tell(out_of_memory);
  } catch (const std::filesystem::filesystem_error& error) {
    tell(describe(error));
  } catch (const std::system_error& error) {
    tell(describe(error));
  } catch (const Error& error) {
    tell(error.what());
  } catch (const std::exception& error) {
    tell(describe_fault("terrace"), "");
    session.record(error.what());
  }
  return exit_failed;
}

int run_program(const std::vector<std::string>& arguments, Session& session) {
  const CommandLine line = parse_command_line(arguments, session);
  if (!line.command || !line.stops) let_stop_signals_go();
  if (!line.command) return after_output(session, line.exit_code, line.output);
  try {
    session.open_log(line.log);
  } catch (const JobError& error) {
    return report(session, error);
  }
  return after_output(session, run_command(session, line.command), line.output);
}

}  // namespace terrace::app
