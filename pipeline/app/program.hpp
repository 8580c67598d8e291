// The program without its main function.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline/app/session.hpp"

namespace terrace::app {

/// Parses a command line and executes it.
/// @param arguments without the program's name
/// @returns the exit code; everything that was thrown has been reported to session.err
int run_program(const std::vector<std::string>& arguments, Session& session);

/// Calls a command and reports what it throws. @returns the exit code
/// @param said gets the messages as well; may be null
int run_command(Session& session, const std::function<int()>& command, std::vector<std::string>* said = nullptr);

}  // namespace terrace::app
