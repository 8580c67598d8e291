// The command line: which command with which arguments.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline/app/session.hpp"

namespace terrace::app {

/// What standard output is to a command.
enum class Output {
  answer,  // what was asked for
  extra    // beside what was asked for, as the name of the result that a run makes
};

struct CommandLine {
  std::function<int()> command;  // what was asked for; empty where nothing is left to be done
  int exit_code = exit_done;     // then
  std::string log;               // a file for everything that happens; empty: none
  Output output = Output::answer;
  bool stops = false;  // whether the command ends by itself after a signal, with StopSignals
};

/// Parses a command line, sets `session.quiet`, and answers --help and --version itself. Errors are reported to the
/// session.
/// @param arguments without the program's name
/// @param session   outlives the command
CommandLine parse_command_line(std::vector<std::string> arguments, Session& session);

}  // namespace terrace::app
