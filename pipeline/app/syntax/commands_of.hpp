// The commands that help lists.
#pragma once

#include <CLI/App.hpp>
#include <algorithm>
#include <vector>

namespace terrace::app {

/// All subcommands but those that are for the build alone, which are in no group.
inline std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  std::vector<const CLI::App*> commands;
  for (const CLI::App* command : program.get_subcommands(nullptr)) {
    if (!command->get_group().empty()) commands.push_back(command);
  }
  return commands;
}

}  // namespace terrace::app
