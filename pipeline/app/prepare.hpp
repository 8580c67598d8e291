// From a job to the plan of its run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/app/machine.hpp"
#include "pipeline/app/stage_table.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/base/watch.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run_plan.hpp"

namespace terrace::app {

struct TakenOver;

/// Before planning, which may take long. @throws JobError if scratch files cannot be made in the folder that the job
/// names for them
void check_scratch_folder(const job::Job& job);

/// Plans the job. Where it leaves the choice, a stage that only the CPU computes is planned for the CPU.
/// @param begun plan.json of the run that is gone on with; null: none
/// @param taken stages that are not planned, since another result holds what they give; of a run that begins
/// @param watch of what is read to plan, and of what the plan's stages read beside blocks while it is run
/// @throws JobError with what is wrong with any of the stages, but those that read what a wrong one writes
run::RunPlan make_plan(const job::OpenJob& open, const Machine& machine, const Stages& stages,
                       const nlohmann::json* begun, const Watch& watch, const TakenOver& taken);

/// Calls `tell` for each stage that is planned for the CPU beside other devices, with the reason.
void tell_of_cpu(const run::RunPlan& plan, const std::function<void(const std::string&)>& tell);

/// Checks that the job can be planned, without reading arrays that may be large. If its device is missing
/// here, it is planned for the CPU, with any memory, and `warn` is called with the reason.
/// @return what was found out about each stage (run::Stage::analysis), by name, of those of which anything was
/// @throws JobError as make_plan() does
std::vector<std::pair<std::string, std::vector<std::string>>> check_plan(
    const job::OpenJob& open, const Stages& stages, const std::function<void(const std::string&)>& warn);

}  // namespace terrace::app
