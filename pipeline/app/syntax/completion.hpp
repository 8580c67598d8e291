// Completion of command lines by shells.
#pragma once

#include <string>
#include <vector>

#include "pipeline/app/syntax/words.hpp"

namespace terrace::app {

/// The shells for which there is a script.
std::vector<std::string> completed_shells();

/// A script for one of these shells that completes commands, options and their values, names, datasets, and else
/// files.
std::string completion_for(const std::string& shell, const ProgramWords& program);

}  // namespace terrace::app
