// Completion of command lines by shells.
#pragma once

#include <CLI/App.hpp>
#include <map>
#include <string>
#include <vector>

namespace terrace::app {

/// The names that may follow a command, by the command: those of problems after `problems`.
using Names = std::map<std::string, std::vector<std::string>>;

/// A script for bash that completes commands, options, words of options, names, and else files.
std::string bash_completion(const CLI::App& program, const Names& names);

}  // namespace terrace::app
