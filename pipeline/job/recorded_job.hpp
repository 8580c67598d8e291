// The job of a finished result, from what the result records.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "pipeline/job/job.hpp"

namespace terrace::job {

/// Inputs and stages of the job that defining_json() described, with the settings as they were then: a default that
/// has changed since does not matter. Settings without a recorded value have today's default. Output, budgets and
/// places are left empty.
/// @param folder where relative paths of the job's files begin
/// @throws Error where the record is damaged, or names a kind of stage, problem or input that there is not
Job recorded_job(const nlohmann::json& recorded, const std::filesystem::path& folder, const StageTable& stages,
                 std::span<const io::InputKind> kinds);

/// Opens the inputs of a recorded job, by name. @throws IoError naming the input that cannot be opened
std::map<std::string, std::shared_ptr<io::Source>> open_recorded(const Job& job,
                                                                 std::span<const io::InputKind> kinds);

}  // namespace terrace::job
