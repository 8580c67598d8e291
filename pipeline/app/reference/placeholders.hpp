// Placeholders of batches in the schema of jobs.
#pragma once

#include "pipeline/base/json_library.hpp"

namespace terrace::app {

/// Lets every scalar of a schema also be a placeholder, `${NAME}`, whatever its type, words or pattern.
/// @param schema of a map, a list or a value; its definition of a placeholder is "#/definitions/placeholder"
void accept_placeholders(nlohmann::json& schema);

/// That definition.
nlohmann::json placeholder_schema();

}  // namespace terrace::app
