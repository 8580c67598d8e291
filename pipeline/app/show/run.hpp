// Runs that are stopped or active, as text.
#pragma once

#include <filesystem>
#include <string>

#include "pipeline/base/json_library.hpp"

namespace terrace::app {

/// The state of the run in a folder `<output>.run`. Reads without the run's lock, and disturbs no process.
/// @throws IoError if there is no run in it, or it is damaged
std::string describe_run(const std::filesystem::path& folder);

/// The same as JSON: `run` (the folder), `attempts`, `state` ("under way", "stopped", "elsewhere": last worked on by
/// another host), `holder` (the process, if one is known), `command`, and `stages`, each with `name`, `state`
/// ("complete", "current", "not begun") and, of the current one, `blocks` done, `checkpoint_blocks`, those that a
/// checkpoint holds, and `share` of its work, as far as they are known. @throws as describe_run()
nlohmann::json run_json(const std::filesystem::path& folder);

}  // namespace terrace::app
