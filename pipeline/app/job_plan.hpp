// The plan of one job, as an answer.
#pragma once

#include "pipeline/app/commands.hpp"
#include "pipeline/app/session.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::app {

/// Plans a job and describes the plan. @param arguments job, with its task, `explain`, `fresh` and `json`
/// @throws JobError with all that is wrong
int answer_plan(Session& session, const PlanArguments& arguments);

/// The plan of a job as JSON, as `terrace plan --json` prints it.
nlohmann::json plan_as_json(Session& session, const PlanArguments& arguments);

}  // namespace terrace::app
