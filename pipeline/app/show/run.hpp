// Runs that are stopped or under way, as text.
#pragma once

#include <filesystem>
#include <string>

namespace terrace::app {

/// How far the run in a folder `<output>.run` is. Reads without the run's lock, and disturbs nobody.
/// @throws IoError where there is no run in it, or it is damaged
std::string describe_run(const std::filesystem::path& folder);

}  // namespace terrace::app
