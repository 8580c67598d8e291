// JSON Schema of jobs, made from the declarations.
#pragma once

#include <span>

#include "io/source.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/job/declaration.hpp"

namespace terrace::app {

/// A schema (draft 7) that every right job satisfies, whether YAML's numbers with exponents were read as numbers or
/// as texts. It knows keys, types, words and bounds of single values; what values mean together, the program checks.
nlohmann::json job_schema(const job::StageTable& stages, std::span<const io::InputKind> kinds);

}  // namespace terrace::app
