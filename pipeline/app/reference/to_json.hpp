// Declarations as JSON, for programs.
#pragma once

#include <string>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/job/declaration.hpp"

namespace terrace::app {

/// `name`, `help`, `keys` (see keys_json()) and `examples`, each an input as a job has it.
nlohmann::json input_json(const io::InputKind& kind);

/// A stage is `name`, `help`, `selector` and `problems`; a problem is `name`, `summary`, `group`, `explanation`,
/// `keys`, `datasets` (`name`, `shape`, `when`, `meaning` each) and `examples`, each a whole job. A stage without
/// problems has these itself.
/// @param name of a problem or a stage: only what has that name; empty: all
nlohmann::json stages_json(const std::vector<const job::StageDeclaration*>& stages, const std::string& name);

/// `keys` of a job with its `inputs` and `stages`, `stage_keys`, and an `example`.
nlohmann::json job_json();

}  // namespace terrace::app
