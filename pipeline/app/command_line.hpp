// The command line: which command with which arguments.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline/app/session.hpp"

namespace terrace::app {

/// Content of standard output of a command.
enum class Output {
  answer,  // the answer of the command
  extra    // in addition to the work, as the name of the result that a run makes
};

struct CommandLine {
  std::function<int()> command;  // the chosen command; empty if nothing is left to do
  int exit_code = exit_done;     // then
  std::string log;               // a file for everything that happens; empty: none
  Output output = Output::answer;
  bool stops = false;  // true if the command ends by itself after a signal, with StopSignals
};

/// Parses a command line, sets `session.quiet`, and answers --help and --version itself. Errors are reported to the
/// session.
/// @param arguments without the program's name
/// @param session   outlives the command
CommandLine parse_command_line(std::vector<std::string> arguments, Session& session);

}  // namespace terrace::app
