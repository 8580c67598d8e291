// A whole run: from a plan to a result, over any number of attempts.
#pragma once

#include "pipeline/base/json_library.hpp"
#include "pipeline/run/result_summary.hpp"
#include "pipeline/run/run_folder.hpp"
#include "pipeline/run/run_plan.hpp"
#include "pipeline/run/run_settings.hpp"

namespace terrace::run {

/// Runs the plan in its folder, from the last checkpoint if there is one, to the complete result, which stays in the
/// folder. @throws Stopped, ComputeError, IoError, DeviceError; JobError if an input has changed meanwhile
RunReport complete(RunPlan& plan, RunFolder& folder, const RunSettings& settings);

/// complete(), after which the result is given its name and the folder removed. If a stage cannot be computed because
/// of its data, the stages that are complete by then stay in the folder as a result, from which another run may take
/// them over, and the run is at its end. @throws as complete()
RunReport execute(RunPlan& plan, RunFolder& folder, const RunSettings& settings);

/// Makes of the partial result in the folder of an unfinished run a finished file that holds the stages of the plan,
/// which are complete. The run can still be resumed afterwards; RunFolder::keep() ends it.
/// @param plan of the run's first stages; its identity, inputs and contents are those of the result
/// @throws ComputeError, IoError
void finish_first_stages(RunPlan& plan, RunFolder& folder, const RunSettings& settings);

/// @throws IoError if the partial result in a run's folder is gone or shorter than its plan says, or the copy of its
/// metadata is gone or damaged
void check_result(const io::Folder& folder, const nlohmann::json& plan);

}  // namespace terrace::run
