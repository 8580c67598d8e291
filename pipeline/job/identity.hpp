// Whether two jobs compute the same.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pipeline/job/job.hpp"

namespace terrace::job {

/// What the result depends on: `inputs` by name and `stages` in order, each with its kind and all settings, defaults
/// included. Equal for equal jobs, however they are written; keys are sorted. Files in the job's folder stand
/// relative to it, so that a folder may move as a whole; others absolute. Infinities are the texts "inf" and "-inf".
nlohmann::json defining_json(const Job& job);

/// What it does not depend on: name, budgets, scratch, back end, checkpoints, devices, output.
nlohmann::json accompanying_json(const Job& job);

/// The first place in which two values of `defining_json` differ, for people: "stages.align.match was 1 and is 2";
/// nothing where they are equal.
std::optional<std::string> first_difference(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace terrace::job
