// The syntax of commands that read a job: check, plan, run, submit.
#pragma once

#include <CLI/CLI.hpp>

#include "pipeline/app/command_line.hpp"
#include "pipeline/app/session.hpp"

namespace terrace::app {

/// Adds the commands to the program. @param line, session outlive it
void add_job_commands(CLI::App& program, CommandLine& line, Session& session);

}  // namespace terrace::app
