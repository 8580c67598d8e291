// A result as JSON, for programs.
#pragma once

#include <filesystem>
#include <string>

#include "pipeline/base/json_library.hpp"

namespace terrace::app {

/// `file`, `job`, `version`, `commit`, `host`, `devices`, `finished`, `attempts`; `datasets`, each with `path`,
/// `type`, `shape` (empty: one value), `meaning`, `units` and, of small ones, `values`; `stages`, each an object of
/// the columns of /profile/stages. Numbers that are not finite are the texts "inf", "-inf" and "nan".
/// @param stage only the datasets and the profile of this stage; empty: all
/// @throws IoError as describe_result() does
nlohmann::json result_json(const std::filesystem::path& file, const std::string& stage);

}  // namespace terrace::app
