// Messages about jobs as JSON.
#pragma once

#include <string>
#include <vector>

#include "pipeline/base/json_library.hpp"

namespace terrace::app {

/// `message` and, where the message begins with a place, `file`, `line` and `column`, or `setting` (of --set); below
/// it, `excerpt`.
/// @param file     of the job, as it was named
/// @param settings of the command line, "key=value" each
nlohmann::json message_json(const std::string& message, const std::string& file,
                            const std::vector<std::string>& settings);

}  // namespace terrace::app
