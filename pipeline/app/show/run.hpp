// Runs that are stopped or active, as text.
#pragma once

#include <filesystem>
#include <string>

namespace terrace::app {

/// The state of the run in a folder `<output>.run`. Reads without the run's lock, and disturbs no process.
/// @throws IoError if there is no run in it, or it is damaged
std::string describe_run(const std::filesystem::path& folder);

}  // namespace terrace::app
