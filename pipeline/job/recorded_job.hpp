// The job of a finished result, from the result's record.
#pragma once

#include <filesystem>
#include <span>

#include "pipeline/base/json_library.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::job {

/// Inputs and stages of the job that defining_json() described, with the settings of that time: a default that has
/// changed since does not matter. Settings without a recorded value have the current default. Output, budgets and
/// places are left empty.
/// @param folder to which relative paths of the job's files are relative
/// @throws Error if the record is damaged, or names a kind of stage, problem or input that does not exist
Job recorded_job(const nlohmann::json& recorded, const std::filesystem::path& folder, const StageTable& stages,
                 std::span<const io::InputKind> kinds);

/// Opens the inputs of a recorded job, by name. @throws IoError naming the input that cannot be opened
std::map<std::string, std::shared_ptr<io::Source>> open_recorded(const Job& job,
                                                                 std::span<const io::InputKind> kinds);

}  // namespace terrace::job
