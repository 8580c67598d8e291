// Parts that the syntax of all commands shares.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "pipeline/app/command_line.hpp"
#include "pipeline/app/session.hpp"

namespace terrace::app {

/// A check of arguments that name a file: a variable of a script that is not set gives an empty one.
inline std::string not_empty(const std::string& text) { return text.empty() ? "is empty; name a file" : ""; }

inline CLI::Option* add_json(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "As JSON, for programs");
}

/// Adds a subcommand that calls `run` with the session and its arguments, which the parse fills in.
template <class Arguments>
CLI::App& add_command(CLI::App& program, CommandLine& line, Session& session, const std::string& name,
                      const std::string& help, int (*run)(Session&, const Arguments&),
                      const std::shared_ptr<Arguments>& arguments) {
  CLI::App* command = program.add_subcommand(name, help);
  command->callback(
      [&, run, arguments] { line.command = [&session, run, arguments] { return run(session, *arguments); }; });
  return *command;
}

}  // namespace terrace::app
