// The commands of the program, one file each. Each adds its subcommand with its options to `program`; when it is
// named, it sets `session.command`. The session outlives the parse.
#pragma once

#include <CLI/CLI.hpp>

#include "pipeline/app/session.hpp"

namespace terrace::app {

/// `terrace check job.yaml`: everything that is wrong with a job.
void add_check_command(CLI::App& program, Session& session);

/// `terrace problems [NAME]` and `terrace operators [NAME]`: what stages compute, from their declarations.
void add_problems_commands(CLI::App& program, Session& session);

/// `terrace devices`: what could compute here.
void add_devices_command(CLI::App& program, Session& session);

/// `terrace plan job.yaml`: how it would be run.
void add_plan_command(CLI::App& program, Session& session);

/// `terrace run job.yaml`: runs a job, or goes on with a stopped one.
void add_run_command(CLI::App& program, Session& session);

/// `terrace show result.h5`: what is in a result, or how far a run is.
void add_show_command(CLI::App& program, Session& session);

/// The arguments of commands that read a job.
struct JobArguments {
  std::string path;
  std::vector<std::string> settings;
};

/// Adds `JOB` and `--set` to a command; the result is filled in by the parse.
std::shared_ptr<JobArguments> add_job_arguments(CLI::App& command);

}  // namespace terrace::app
