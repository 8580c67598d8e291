// The program without its main function.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline/app/session.hpp"

namespace terrace::app {

/// "0.1.0".
std::string version();

/// The answer to --version: the version, the build, and the back ends that it can compute on.
std::string version_text();

/// Parses a command line and executes it.
/// @param arguments without the program's name
/// @returns the exit code; everything that was thrown has been reported to session.err
int run_program(const std::vector<std::string>& arguments, Session& session);

/// Calls a command and reports what it throws. @returns the exit code
int run_command(Session& session, const std::function<int()>& command);

}  // namespace terrace::app
